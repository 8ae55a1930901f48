import type { Hand } from "@paraphe/contracts";

/** Families by which a browser that has the hands installed finds them; the client draws the text itself, in its own fonts. */
const FAMILIES: Readonly<Record<Hand, string>> = {
  caveat: "Caveat",
  "la-belle-aurore": "La Belle Aurore",
  "playwrite-fr-moderne": "Playwrite France Moderne",
  "herr-von-muellerhoff": "Herr Von Muellerhoff",
};

/** Gives a typed mark as an SVG picture. */
export function textSvg({ text, hand }: { readonly text: string; readonly hand: Hand }): string {
  const width = Math.max(120, [...text].length * 32);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 96" width="${width}" height="96"><text x="50%" y="62" text-anchor="middle" font-size="52" font-family="'${FAMILIES[hand]}', cursive" fill="#1b2f86">${escaped(text)}</text></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
