import { type Colour, type OrganisationMails, paletteOf } from "@paraphe/contracts";

export const LOGO_PATH = "/api/organisation/logo/";

export type BrandLogo = {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
};

export type Brand = {
  readonly name: string;
  readonly address: string;
  readonly version: number;
  readonly colour: Colour | null;
  readonly logo: BrandLogo | null;
  readonly mails: OrganisationMails;
};

const HEIGHT_PX = 36;
const WIDTH_PX = 180;

/** `isWide`: a word mark that contains the name. */
export function shownLogo({ width, height }: BrandLogo) {
  const scale = Math.min(HEIGHT_PX / height, WIDTH_PX / width);
  const size = (side: number) => Math.max(1, Math.round(side * scale));
  return { width: size(width), height: size(height), isWide: width > 2 * height };
}

/** Gives guests' pages what `themes.css` and `brand.module.css` read. */
export function brandStylesheet(brand: Brand | null): string {
  if (brand === null) return "";
  const { colour } = brand;
  const name = { ...named(brand), ...(brand.logo ? drawn(brand.logo, brand.version) : {}) };
  const page = ":root[data-theme]";
  const more = ":root[data-contrast=more]";
  return [
    rule(":root", name),
    ...(colour === null
      ? []
      : [
          rule(`${page},:root .sheet`, paletteOf(colour, { theme: "light" })),
          `@media screen{${rule(`${page}[data-theme=dark]`, paletteOf(colour, { theme: "dark" }))}}`,
          rule(
            `${more}[data-theme],${more} .sheet`,
            paletteOf(colour, { theme: "light", contrast: "more" }),
          ),
          `@media screen{${rule(`${more}[data-theme=dark]`, paletteOf(colour, { theme: "dark", contrast: "more" }))}}`,
        ]),
  ].join("\n");
}

function rule(selector: string, properties: Readonly<Record<string, string>>): string {
  const written = Object.entries(properties).map(([name, value]) => `--${name}:${value}`);
  return `${selector}{${written.join(";")}}`;
}

function named({ name }: Brand): Readonly<Record<string, string>> {
  return {
    "brand-name": cssString(name),
    "brand-own": "hidden",
    "brand-own-size": "0",
    "brand-mark": "none",
  };
}

/** The logo was drawn for paper, so it stands on white in both themes. */
function drawn(logo: BrandLogo, version: number): Readonly<Record<string, string>> {
  const { width, height, isWide } = shownLogo(logo);
  return {
    "brand-mark": "block",
    "brand-logo": `#fff url("${LOGO_PATH}?v=${version}") center/contain no-repeat content-box border-box`,
    "brand-mask": "none",
    "brand-width": `${width + 2 * PLATE_PX}px`,
    "brand-height": `${height + 2 * PLATE_PX}px`,
    "brand-plate": `${PLATE_PX}px`,
    ...(isWide ? { "brand-name-size": "0" } : {}),
  };
}

const PLATE_PX = 4;

/** CSS Syntax 3 §4.3.7: other characters go by number. */
function cssString(text: string): string {
  const written = Array.from(text, (one) =>
    /[a-z0-9 ]/i.test(one) ? one : `\\${one.codePointAt(0)?.toString(16)} `,
  );
  return `"${written.join("")}"`;
}
