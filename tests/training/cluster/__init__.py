"""Work on a Ray cluster."""

APART = ["unshare", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""A network that is only a loopback, and processes that end with the first."""
