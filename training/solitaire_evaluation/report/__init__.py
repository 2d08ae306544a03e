"""Reports: tables, and the page of a comparison."""
