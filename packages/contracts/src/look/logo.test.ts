import { describe, expect, test } from "vitest";
import { checkLogo, MAX_LOGO_BYTES } from "./logo.ts";

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const { TextEncoder: Encoder } = globalThis as unknown as {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
};
const bytesOf = (text: string) => new Encoder().encode(text);
const svg = (inside: string, root = 'viewBox="0 0 64 32"') =>
  `<svg ${XMLNS} ${root}>${inside}</svg>`;
function outcomeOf(text: string): string {
  const checked = checkLogo(bytesOf(text));
  return checked.kind === "fault" ? checked.fault : checked.kind;
}

const PATH = '<path d="M0 0h64v32z" fill="#6b1f3a"/>';
/** Drawing programs write such files. */
const INKSCAPE = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Created with Inkscape (http://www.inkscape.org/) -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg width="210mm" height="105mm" viewBox="0 0 210 105" version="1.1" ${XMLNS}
  xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" inkscape:version="1.2" xml:space="preserve">
  <inkscape:namedview id="v" pagecolor="#ffffff" inkscape:object-nodes="true" />
  <defs><linearGradient id="g"><stop offset="0" stop-color="#6b1f3a"/></linearGradient>
  <path id="p" d="M0 0h10v10z"/></defs>
  <metadata><rdf:RDF><work rdf:about="http://exemple.fr/">Logo &amp; nom</work></rdf:RDF></metadata>
  <style><![CDATA[ .a { fill: url(#g) } ]]></style>
  <g class="a" style="fill:url('#g')"><use xlink:href="#p" x="20"/></g>
</svg>`;

describe("a logo", () => {
  test.each([
    ["a plain one", svg(PATH)],
    ["one of Inkscape", INKSCAPE],
    ["one with a byte order mark", `\ufeff${svg(PATH)}`],
    [
      "one with inner references",
      svg('<clipPath id="c"><rect/></clipPath><g clip-path="url(#c)"/>'),
    ],
  ])("in SVG, %s, is drawn", (_what, text) => {
    expect(outcomeOf(text)).toBe("svg");
  });

  test.each([
    ["a script", svg("<script>alert(1)</script>")],
    ["a script with a prefix", svg(`<s:script xmlns:s="http://www.w3.org/2000/svg"/>`)],
    ["a script in capitals", svg("<SCRIPT/>")],
    ["an event", svg('<path onload="alert(1)"/>')],
    ["an event of the root", svg(PATH, 'viewBox="0 0 9 9" onload="alert(1)"')],
    ["a page inside", svg("<foreignObject><body/></foreignObject>")],
    ["a link", svg('<a href="https://exemple.fr/"><path/></a>')],
    ["a picture elsewhere", svg('<image href="https://exemple.fr/a.png"/>')],
    ["a picture of its own", svg('<image href="data:image/png;base64,AAAA"/>')],
    ["a part of another file", svg('<use xlink:href="https://exemple.fr/a.svg#a"/>')],
    ["a part of a data address", svg('<use href="data:image/svg+xml;base64,AAAA#a"/>')],
    ["an address that runs", svg('<use href="java&#115;cript:alert(1)"/>')],
    ["an address that runs, with a tab", svg('<path fill="java&#x9;script:alert(1)"/>')],
    ["a page as data", svg('<path fill="data:text/html,x"/>')],
    ["a style that fetches", svg('<path style="fill:url(https://exemple.fr/a)"/>')],
    ["a style that fetches, escaped", svg('<path style="fill:u\\72l(//exemple.fr/a)"/>')],
    ["a style that fetches, with a comment", svg('<path style="fill:url/**/(//exemple.fr/a)"/>')],
    ["a paint that fetches", svg('<path fill="url(//exemple.fr/a#b)"/>')],
    ["a style sheet that imports", svg("<style>@import 'https://exemple.fr/a.css';</style>")],
    ["a style sheet with a font", svg("<style>@font-face{src:url(a)}</style>")],
    ["a style sheet in CDATA", svg("<style><![CDATA[@import '//exemple.fr';]]></style>")],
    ["a style sheet beside", `<?xml-stylesheet href="https://exemple.fr/a.css"?>${svg(PATH)}`],
    ["another base", svg('<g xml:base="https://exemple.fr/"/>')],
    ["a movement", svg('<animate attributeName="href" to="x"/>')],
    ["a value that is set", svg('<set attributeName="onload" to="x"/>')],
    [
      "entities",
      `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${svg("<title>&b;</title>")}`,
    ],
    [
      "an outside entity",
      `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svg("<title>&a;</title>")}`,
    ],
  ])("with %s is refused as code", (_what, text) => {
    expect(outcomeOf(text)).toBe("code");
  });

  test.each([
    ["words", svg('<text x="1">Aubry</text>'), "text"],
    ["an effect", svg('<filter id="f"/>'), "text"],
    ["an open element", `<svg ${XMLNS} viewBox="0 0 9 9"><g>`, "damage"],
    ["crossed elements", svg("<g><path></g></path>"), "damage"],
    ["two roots", svg(PATH) + svg(PATH), "damage"],
    ["an attribute twice", svg('<path d="M0" d="M1"/>'), "damage"],
    ["an attribute without quotes", svg("<path d=M0 />"), "damage"],
    ["no size", svg(PATH, ""), "damage"],
    ["a size of nothing", svg(PATH, 'viewBox="0 0 0 9"'), "damage"],
    ["no namespace", '<svg viewBox="0 0 9 9"/>', "damage"],
    [
      "a hundred and one elements in one another",
      svg("<g>".repeat(101) + "</g>".repeat(101)),
      "damage",
    ],
    ["another format", "%PDF-1.7", "format"],
    ["a page", "<html></html>", "format"],
    ["nothing", "", "format"],
  ])("with %s is refused", (_what, text, fault) => {
    expect(outcomeOf(text)).toBe(fault);
  });

  test("is known by its bytes, and not larger than 1 MB", () => {
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
    expect(checkLogo(png).kind).toBe("png");
    expect(checkLogo(Uint8Array.from([0xff, 0xd8, 0xff]))).toEqual({
      kind: "fault",
      fault: "format",
    });
    const long = svg(`<title>${"x".repeat(MAX_LOGO_BYTES)}</title>`);
    expect(outcomeOf(long)).toBe("size");
    expect(outcomeOf(svg(`<!--${"-x".repeat(500_000)}-->`))).toBe("svg");
  });

  test.each([
    ["viewBox='0 0 1000000 500000' width='1e9' height='1e9'", "0 0 1000000 500000", 320, 160],
    ["width='25.4mm' height='101.6mm'", "0 0 96 384", 80, 320],
    ["viewBox='-5,-5 10 10' width='100%'", "-5 -5 10 10", 320, 320],
  ])("of %s is drawn in a bounded size", (root, view, width, height) => {
    const checked = checkLogo(bytesOf(svg(PATH, root)));
    const text = checked.kind === "svg" ? checked.text : "";
    for (const attribute of [`viewBox="${view}"`, `width="${width}"`, `height="${height}"`])
      expect(text.split(attribute)).toHaveLength(2);
  });
});
