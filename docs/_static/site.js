// What the theme leaves out for screen readers and keyboards.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll('.caption[role="heading"]').forEach((caption) => caption.setAttribute("aria-level", "2"));
  document.querySelectorAll("pre, .table-wrapper").forEach((box) => box.setAttribute("tabindex", "0")); // to scroll by keys
  for (const [name, label] of [[".sidebar-drawer", "Site"], [".toc-drawer", "On this page"]]) {
    document.querySelector(name)?.setAttribute("aria-label", label);
  }
});
