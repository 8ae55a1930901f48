/** Announces to screen readers without moving the focus. */
export function announce(message: string): void {
  const region = document.getElementById("annonces") ?? createRegion();
  // An unchanged region is not read again.
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
