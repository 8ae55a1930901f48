/** Tells screen readers something that the page shows without moving the focus. */
export function announce(message: string): void {
  const region = document.getElementById("annonces") ?? createRegion();
  // The same sentence twice in a row is not read again unless the region was emptied between.
  region.textContent = "";
  setTimeout(() => {
    region.textContent = message;
  }, 30);
}

function createRegion(): HTMLElement {
  const region = document.createElement("div");
  region.id = "annonces";
  region.className = "sr";
  region.setAttribute("role", "status");
  document.body.append(region);
  return region;
}
