import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { smallPdf } from "../../testing/small-pdf.ts";
import { type OpenPdf, openPdf } from "../pdf/open-pdf.ts";
import { DESCRIPTIVE_ENTRIES, readTogether } from "./descriptive-changes.ts";
import { MAX_XML, metadataMeaning, readXml } from "./metadata.ts";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const packet = (said: string, declared = ""): string =>
  `<r:RDF xmlns:r="${RDF}" xmlns:p="p/"${declared}><r:Description r:about="">${said}</r:Description></r:RDF>`;
const bag = (items: string): string => `<p:a><r:Bag>${items}</r:Bag></p:a>`;
const meaning = (text: string): string => metadataMeaning(new TextEncoder().encode(text));
const prefixes = (count: number): string =>
  Array.from({ length: count }, (_, index) => ` xmlns:n${index}="c"`).join("");
const code = (read: () => unknown): unknown => {
  try {
    return typeof read();
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
};

test.each([
  ["a remark of 20 million letters", () => `<a><!--${"x".repeat(20_000_000)}--></a>`],
  [
    "a million attributes",
    () => `<a ${Array.from({ length: 1_000_000 }, (_, index) => `b${index}="c"`).join(" ")}/>`,
  ],
  ["more than 1 000 declarations in one element", () => `<a${prefixes(1_001)}/>`],
  [
    "more than 1 000 declarations one after another",
    () => `<a>${"<b xmlns='c'/>".repeat(1_001)}</a>`,
  ],
  ["a namespace of 257 letters", () => `<a xmlns="${"x".repeat(257)}"/>`],
])("XML that is too large is refused without an engine error: %s", (_name, text) => {
  expect(code(() => readXml(text()))).toBe("pdf_too_complex");
});

test.each([
  ["a remark of a million letters", `<a><!--${"x".repeat(1_000_000)}--></a>`],
  [
    "90 000 attributes",
    `<a ${Array.from({ length: 90_000 }, (_, index) => `b${index}=''`).join(" ")}/>`,
  ],
  ["1 000 declarations", `<a${prefixes(1_000)}/>`],
])("XML within its bounds is accepted: %s", (_name, text) => {
  expect(readXml(text).name).toBe("{}a");
});

test("XML nested too deeply is malformed", () => {
  expect(code(() => readXml("<a>".repeat(65)))).toBe("pdf_damaged");
});

test.each([
  "<a><!-- a -- b --></a>",
  "<a><!-- a ---></a>",
  "<a><!--></a>",
  "<a><!-- a</a>",
  '<a b="1"c="2"/>',
  '<a b="1" b="2"/>',
])("XML is malformed: %s", (text) => {
  expect(code(() => readXml(text))).toBe("pdf_damaged");
});

test.each([
  ["an end tag of another name", "<p:a>b</p:c>"],
  ["a prefix that nothing declares", "<q:a>b</q:a>"],
  ["an unknown entity", "<p:a>&euro;</p:a>"],
  ["a text beside elements", "c<p:a>b</p:a>"],
  ["an attribute beside a text", '<p:a p:b="c">d</p:a>'],
  ["two values of one property", "<p:a><p:b/><p:c/></p:a>"],
  ["a list that is none", "<p:a><p:b/></p:a>"],
  ["a list with other items", bag("<p:b/>")],
])("metadata with %s is refused", (_name, text) => {
  expect(code(() => meaning(packet(text)))).toBe("pdf_damaged");
});

test.each([
  ["a root that is no RDF", `<x:xmpmeta xmlns:x="adobe:ns:meta/"><x:a/></x:xmpmeta>`],
  ["a node that is no description", `<r:RDF xmlns:r="${RDF}"><r:Bag/></r:RDF>`],
])("metadata with %s is refused", (_name, text) => {
  expect(code(() => meaning(text))).toBe("pdf_damaged");
});

test("a property's attributes are a structure, as its elements are", () => {
  expect(meaning(packet('<p:a p:b="c"/>'))).toBe(
    meaning(packet('<p:a r:parseType="Resource"><p:b>c</p:b></p:a>')),
  );
});

test("an element inherits the prefixes around it, and passes none to its sibling", () => {
  const [first, second] = readXml(
    '<a xmlns="u" xmlns:p="v"><b p:c=""><d xmlns:p="w" p:c=""/></b><p:e/></a>',
  ).children;
  expect([
    first?.name,
    [...(first?.attributes.keys() ?? [])],
    [...(first?.children[0]?.attributes.keys() ?? [])],
    second?.name,
  ]).toEqual(["{u}b", ["{v}c"], ["{w}c"], "{v}e"]);
});

test("the meaning of nested XMP structures grows linearly with the text", () => {
  const nested = packet(
    `${'<p:a r:parseType="Resource">'.repeat(50)}<p:a>"</p:a>${"</p:a>".repeat(50)}`,
  );
  expect(meaning(nested).length).toBeLessThan(nested.length);
});

test("a text and a structure of the same spelling have different meanings", () => {
  const texts = [
    "<p:b>c</p:b>",
    "[&quot;of&quot;,[&quot;{p/}b&quot;,&quot;c&quot;]]",
    '["of",["{p/}b","c"]]',
  ];
  const said = [
    packet(`<p:a r:parseType="Resource">${texts[0]}</p:a>`),
    ...texts.slice(1).map((text) => packet(`<p:a>${text}</p:a>`)),
  ];
  expect(said.map(meaning).map((text) => said.map(meaning).indexOf(text))).toEqual([0, 1, 1]);
});

describe("metadata that comes anew", () => {
  /** Gives a file with this packet as its metadata, deflated or with these entries for a filter. */
  function described(
    text: string,
    { filter = "/Filter/FlateDecode", data = deflateSync(text) } = {},
  ): Promise<OpenPdf> {
    const stream = `<</Type/Metadata/Subtype/XML${filter}/Length ${data.length}>>\nstream\n${data.toString("latin1")}\nendstream`;
    return openPdf(smallPdf({ catalogExtra: "/Metadata 30 0 R", objects: { 30: stream } }));
  }
  const says = (before: OpenPdf, after: OpenPdf): unknown =>
    DESCRIPTIVE_ENTRIES["Metadata"]?.(before, after);
  const said = packet("<p:a>b</p:a>");

  test("rewritten metadata under another prefix says the same", async () => {
    expect(says(await described(said), await described(said.replaceAll(/\bp(?=[:=])/g, "q")))).toBe(
      true,
    );
  });

  test.each([
    ["inflates to more than a mebibyte", `${said}${" ".repeat(MAX_XML)}`, {}],
    ["inflates to twenty", `${said}${" ".repeat(20 * MAX_XML)}`, {}],
    [
      "declares 2 000 prefixes around 40 000 elements",
      packet(bag("<r:li>x</r:li>".repeat(40_000)), prefixes(2_000)),
      {},
    ],
    ["cannot be inflated", said, { data: Buffer.from("rubbish") }],
    ["has a filter that there is not", said, { filter: "/Filter/None" }],
  ])("rewritten metadata with %s is a change", async (_name, text, how) => {
    const started = performance.now();
    const [before, after] = [await described(text, how), await described(text, how)];
    expect([says(before, after), says(await described(said), after)]).toEqual([false, false]);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("all revisions' metadata share one budget", async () => {
    const long = `${said}${" ".repeat(MAX_XML - said.length)}`;
    const whole = await described(long);
    const verdicts: unknown[] = [];
    let before = whole;
    for (let revision = 0; revision < 8; revision += 1) {
      const after = await described(long);
      readTogether(whole, after);
      verdicts.push(says(before, after));
      before = after;
    }
    expect(verdicts).toEqual([true, true, true, false, false, false, false, false]);
  });
});
