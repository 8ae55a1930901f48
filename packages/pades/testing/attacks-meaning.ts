import { toHex } from "../src/asn1/der-reader.ts";
import { digest } from "../src/cryptography.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { archiveWith } from "./archive.ts";
import {
  type Attack,
  type AttackStage,
  STAGE_LATER,
  sealed,
  swap,
  type Attacks,
} from "./attack-stage.ts";
import { stamped, widget, withField } from "./attacks-form.ts";
import { NUMBER_ATTACKS } from "./attacks-spelling.ts";
import {
  forgedRevision,
  forgedUpdate,
  lastObject,
  tableRow,
  extended,
  redefined,
} from "./forge.ts";
import { prepareAll, signAs } from "./sign-flow.ts";
import { type FreeSignature, signFreely } from "./sign-freely.ts";
import { smallPdf, type Objects } from "./small-pdf.ts";

const aliceSigns = (
  { alice, pki }: AttackStage,
  bytes: Uint8Array,
  more: Partial<FreeSignature> = {},
): Promise<Uint8Array> =>
  signFreely(bytes, {
    cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    ...more,
  });

/** XMP as writers make it: `said` of the document, `noted` of the writer. */
const xmp = (said: string, noted = ""): string =>
  `<?xpacket begin="\u00ef\u00bb\u00bf" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"${noted}>${said}</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>`;
const titled = (title: string): string =>
  `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>`;
const stream = (data: string): string =>
  `<</Type/Metadata/Subtype/XML/Length ${data.length}>>\nstream\n${data}\nendstream`;
const SAID = titled("Bail &amp; annexes");

/** rdf:about without a namespace, one description for each schema. */
const OF_OLD = swap(
  swap(xmp(SAID), 'rdf:about=""', "about=''"),
  "</rdf:RDF>",
  "<rdf:Description about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:Label='/2012'/></rdf:RDF>",
);

const about = (name: string): string =>
  swap(xmp(SAID, ' xmp:Label="/2012"'), 'rdf:about=""', `rdf:about="${name}"`);

export const DESCRIPTION = stream(
  xmp(
    SAID,
    ' xmp:CreateDate="2026-11-20T15:00:00+01:00" xmp:ModifyDate="2026-11-20T15:00:00+01:00"',
  ),
);

/** Signed by Alice and archived with metadata, which then change. */
const described =
  (
    change: Objects,
    { said = SAID, packet = xmp(said) }: { said?: string; packet?: string } = {},
  ): Attack =>
  async (stage) => {
    const objects = { 30: stream(packet) };
    const prepared = await prepareAll(smallPdf({ catalogExtra: "/Metadata 30 0 R", objects }));
    const signed = await signAs(prepared, {
      signer: stage.alice,
      tsa: stage.pki.tsa,
      ownerKey: "alice",
    });
    const archived = await archiveWith(stage.pki, signed, STAGE_LATER);
    return Object.keys(change).length > 0
      ? forgedRevision(archived, { objects: change })
      : archived;
  };
/** Signed by Alice with an information dictionary and no metadata, which then come. */
const cameAs =
  (packet: string): Attack =>
  async (stage) => {
    const objects = {
      30: "<</Title(Bail)/Author(Clara)/Keywords(a, b)/CreationDate(D:20261120150000+01'00')>>",
    };
    const signed = await aliceSigns(stage, smallPdf({ trailerExtra: "/Info 30 0 R", objects }));
    const { number, syntax } = lastObject(signed, "/Type /Catalog");
    return forgedUpdate(signed, {
      parts: {
        c: `${number} 0 obj\n${syntax.slice(0, -2)}/Metadata 970 0 R>>\nendobj\n`,
        m: `970 0 obj\n${stream(packet)}\nendobj\n`,
      },
      rows: ({ c = 0, m = 0 }) => tableRow(number, c) + tableRow(970, m),
      trailer: (text) => `${text}/Info 30 0 R`,
    });
  };
const rewritten = (text: string): Attack => described({ 30: stream(text) });
const NOTED =
  ' xmp:ModifyDate="2026-11-21T15:00:00+01:00" xmp:MetadataDate="2026-11-21T15:00:00+01:00" pdf:Producer="x" xmpMM:InstanceID="uuid:1"';

/** Statements about something else. */
const part = (said: string): string =>
  `${SAID}<dc:relation rdf:parseType="Resource">${said}</dc:relation>`;

const METADATA: Attacks = {
  "metadata: another title": rewritten(xmp(titled("FAUX"))),
  "metadata: the title gone": rewritten(xmp("", NOTED)),
  "metadata: a title in another language besides": rewritten(
    xmp(SAID.replace("</rdf:Alt>", '<rdf:li xml:lang="fr">FAUX</rdf:li></rdf:Alt>')),
  ),
  "metadata: the title's language": rewritten(xmp(SAID.replace("x-default", "fr"))),
  "metadata: an author besides": rewritten(
    xmp(`${SAID}<dc:creator><rdf:Seq><rdf:li>FAUX</rdf:li></rdf:Seq></dc:creator>`),
  ),
  "metadata: a claim of PDF/A": rewritten(xmp(SAID, ' pdfaid:part="3" pdfaid:conformance="B"')),
  "metadata: a tool that made it": rewritten(xmp(SAID, ' xmp:CreatorTool="FAUX"')),
  "metadata: a second description": rewritten(
    swap(
      xmp(SAID),
      "</rdf:RDF>",
      '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="FAUX"/></rdf:RDF>',
    ),
  ),
  "metadata: a second title": rewritten(xmp(SAID + titled("FAUX"))),
  "metadata: about something else, said as it was of old": rewritten(
    swap(xmp(SAID), 'rdf:about=""', "about='urn:x'"),
  ),
  "metadata: about something else, which has a name": described(
    { 30: stream(about("uuid:2")) },
    { packet: about("uuid:1") },
  ),
  "metadata: about two things": described(
    {
      30: stream(
        swap(about("uuid:1"), "</rdf:RDF>", '<rdf:Description rdf:about="uuid:2"/></rdf:RDF>'),
      ),
    },
    { packet: about("uuid:1") },
  ),
  "metadata: a title that came": cameAs(xmp(titled("FAUX"))),
  "metadata: an author as the title that came": cameAs(xmp(titled("Clara"))),
  "metadata: a claim of PDF/A that came": cameAs(
    xmp("", ' pdfaid:part="3" pdfaid:conformance="B"'),
  ),
  "metadata: an identifier that says something": cameAs(xmp("", ' xmpMM:DocumentID="FAUX"')),
  "metadata: another day than the information has": cameAs(
    xmp("", ' xmp:CreateDate="2020-01-01T00:00:00Z"'),
  ),
  "metadata: rubbish": rewritten("<?xpacket?>FAUX"),
  "metadata: in letters of another code": rewritten(xmp(titled("\u00e9"))),
  "metadata: no XMP": rewritten("<html/>"),
  "metadata: an entity of its own": rewritten(
    `<!DOCTYPE x [<!ENTITY t "FAUX">]>${xmp(titled("&t;"))}`,
  ),
  "metadata: behind an end": rewritten(`${xmp(SAID)}<html/>`),
  "metadata: a modification that says more than a time": rewritten(
    xmp(`${SAID}<xmp:ModifyDate><rdf:Bag><rdf:li>FAUX</rdf:li></rdf:Bag></xmp:ModifyDate>`),
  ),
  "metadata: a time said twice, once in a language": rewritten(
    xmp(`${SAID}<xmp:ModifyDate xml:lang="fr">FAUX</xmp:ModifyDate>`, ' xmp:ModifyDate="2026"'),
  ),
  "metadata: a time said twice of a part of it": described(
    {
      30: stream(
        xmp(part("<xmp:ModifyDate>2026</xmp:ModifyDate><xmp:ModifyDate>FAUX</xmp:ModifyDate>")),
      ),
    },
    { said: part("<xmp:ModifyDate>2026</xmp:ModifyDate>") },
  ),
  "metadata: the title as an attribute besides": rewritten(xmp(SAID, ' dc:title="FAUX"')),
  "metadata: gone": async (stage) => {
    const bytes = await described({})(stage);
    return redefined(bytes, "/Type /Catalog", (syntax) => swap(syntax, /\/Metadata 30 0 R/, ""));
  },
  "metadata: a version that there is not": ({ archived }) =>
    extended(archived, "/Type /Catalog", "/Version/2.9"),
  "metadata: come, with a title": ({ archived }) =>
    extended(archived, "/Type /Catalog", "/Metadata 980 0 R", { 980: stream(xmp(SAID)) }),
};
/** Writers' notes in RDF's two spellings. */
export const HONEST_METADATA: Attacks = {
  "metadata that another writer noted itself in": rewritten(xmp(SAID, NOTED)),
  "metadata that another writer noted itself in where it was noted already, as OpenPDF does":
    rewritten(
      xmp(
        `${SAID}<pdf:Producer>y</pdf:Producer><xmp:ModifyDate>2026-11-22</xmp:ModifyDate>`,
        NOTED,
      ),
    ),
  "metadata that repeat the information, where there were none, as Acrobat writes": cameAs(
    xmp(
      `${titled("Bail")}<dc:creator><rdf:Seq><rdf:li>Clara</rdf:li></rdf:Seq></dc:creator>`,
      ' dc:format="application/pdf" pdf:Keywords="a, b" xmp:CreateDate="2026-11-20T15:00:00+01:00" xmp:ModifyDate="2026-11-21" xmpMM:DocumentID="uuid:4b7097dd-6b37-11e4-0000-0171b69cf95e"',
    ),
  ),
  "metadata about something that has a name, as Ghostscript writes, noted anew": described(
    { 30: stream(swap(about("uuid:1"), "/2012", '/2012" xmp:ModifyDate="2026-11-21')) },
    { packet: about("uuid:1") },
  ),
  "metadata in two descriptions as they were written of old": described(
    { 30: stream(swap(OF_OLD, "/2012", "/2012' xmp:ModifyDate='2026-11-21T15:00:00+01:00")) },
    { packet: OF_OLD },
  ),
  "metadata written anew, saying the same": described(
    {
      30: stream(
        xmp(
          `<xmp:CreatorTool>x</xmp:CreatorTool><dc:rights rdf:resource="https://a.example/"/><!-- rien --><dc:relation rdf:parseType="Resource"><dc:type>y</dc:type></dc:relation>${SAID.replace("&amp;", "&#38;")}`,
          ' xmp:ModifyDate="2026-11-21T15:00:00+01:00"',
        ),
      ),
    },
    {
      said: `${SAID}<dc:relation><rdf:Description dc:type="y"/></dc:relation><dc:rights>https://a.example/</dc:rights><xmp:CreatorTool>x</xmp:CreatorTool>`,
    },
  ),
  "metadata that came with a writer's notes alone": ({ archived }) =>
    extended(archived, "/Type /Catalog", "/Metadata 980 0 R", { 980: stream(xmp("", NOTED)) }),
};

const seeded =
  (seed: string, more: Partial<FreeSignature> = {}): Attack =>
  (stage) =>
    aliceSigns(stage, stage.prepared, { fieldExtra: `/SV<<${seed}>>`, ...more });
const SEEDS: Attacks = {
  "seed value: another digest": seeded("/Ff 64/DigestMethod[(SHA512)]"),
  "seed value: another form of signature": seeded("/Ff 2/SubFilter[/adbe.pkcs7.detached]"),
  "seed value: another handler": seeded("/Ff 1/Filter/Entrust.PPKEF"),
  "seed value: a reason that was not given": seeded("/Ff 8/Reasons[(Lu et approuv\\351)]"),
  "seed value: no reason allowed": seeded("/Ff 8/Reasons[(.)]", { valueExtra: "/Reason(FAUX)" }),
  "seed value: a certificate of somebody else": seeded("/Cert<</Ff 1/Subject[<3000>]>>"),
  "seed value: a certificate of another authority": seeded("/Cert<</Ff 2/Issuer[<3000>]>>"),
  "seed value: another policy": seeded("/Cert<</Ff 4/OID[(1.2.3)]>>"),
  "seed value: another name": seeded("/Cert<</Ff 8/SubjectDN[<</CN(Bob)>>]>>"),
  "seed value: another key usage": seeded("/Cert<</Ff 32/KeyUsage[(1X)]>>"),
  "seed value: a time-stamp that is not there": (stage) =>
    signFreely(stage.prepared, {
      fieldExtra: "/SV<</TimeStamp<</Ff 1/URL(https://tsa.example)>>>>",
      cms: (covered) => sealed({ signer: stage.alice }, covered),
    }),
  "seed value: a certification that is not there": seeded("/MDP<</P 1>>"),
  "seed value: none, and a certification all the same": seeded("/MDP<</P 0>>", {
    certification: 2,
  }),
  "seed value: what nobody here can judge": seeded("/Ff 16/LegalAttestation[(x)]"),
  "seed value: a look that nobody here can judge": seeded("/Ff 256/AppearanceFilter(x)"),
  "seed value: of a version to come": seeded("/Ff 4/V 3"),
  "seed value: a document that is to be locked": seeded("/Ff 128/LockDocument/true"),
  "seed value: revocation data that is not there": seeded("/Ff 32/AddRevInfo true"),
  "seed value: no dictionary": (stage) =>
    aliceSigns(stage, stage.prepared, { fieldExtra: "/SV(x)" }),
};
export const HONEST_SEEDS: Attacks = {
  "a seed value that only wishes": seeded(
    "/Ff 0/DigestMethod[(SHA512)]/Reasons[(x)]/Cert<</Subject[<3000>]>>",
  ),
  "a seed value that is kept": seeded(
    "/Ff 239/V 2/AddRevInfo false/LockDocument/auto/Filter/Adobe.PPKLite/SubFilter[/adbe.pkcs7.detached/ETSI.CAdES.detached]/DigestMethod[(SHA384)(SHA256)]/Reasons[(x)]/TimeStamp<</Ff 1>>/Cert<</Ff 44/OID[(1.3.6.1.4.1.32473.1.1)]/SubjectDN[<</CN(Bob)>><</CN(Alice)>>]/KeyUsage[(1)(01XXXXXXX)]>>",
    { valueExtra: "/Reason(x)" },
  ),
};

const added =
  (syntax: string, more: Objects = {}): Attack =>
  ({ archived }) =>
    forgedRevision(archived, { objects: withField(archived, syntax, more) });
const named = (name: string): string =>
  `<</Type/Annot/Subtype/Widget/FT/Sig${name}/F 4/P 3 0 R/Rect[0 0 0 0]>>`;
const BLANK = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 1>>\nstream\n \nendstream";
const FIELDS: Attacks = {
  "new field: an empty signature over the page": added(widget("/Rect[0 0 595 842]")),
  "new field: an empty signature over the page, with a blank look": added(
    widget("/Rect[0 0 595 842]/AP<</N 902 0 R>>"),
    { 902: BLANK },
  ),
  "new field: an empty signature over more than the page": added(
    widget("/Rect[-5000 -5000 5000 5000]"),
  ),
  "new field: an empty signature over the page, turned round": added(widget("/Rect[595 842 0 0]")),
  "new field: a signature over the page": (stage) =>
    signFreely(stage.archived, {
      rect: "0 0 595 842",
      cms: (covered) => sealed({ signer: stage.bob, tsa: stage.pki.tsaAt(STAGE_LATER) }, covered),
    }),
  "new field: a place that is none": added(widget("/Rect[0 0 (x) 842]")),
  "new field: no place": added(widget("")),
  "new field: no name": added(named("")),
  "new field: an empty name": added(named("/T()")),
  "new field: a name of two parts": added(named("/T(env-0198_a-date.x)")),
  "new field: a name that is no text": added(named("/T 4")),
};
export const HONEST_FIELDS: Attacks = {
  "an empty place for a further signer": added(widget("/Rect[50 50 250 110]/AP<</N 902 0 R>>"), {
    902: BLANK,
  }),
};

const inStore =
  (...changes: readonly (readonly [from: string | RegExp, to: string])[]): Attack =>
  ({ archived }) =>
    redefined(archived, "/Type/DSS", (syntax) =>
      changes.reduce((text, [from, to]) => swap(text, from, to), syntax),
    );
/** A store of another writer with times in its entries, and what becomes of it. */
const TIMED = [/(?<=\/VRI ?<<\/[0-9A-F]{40} ?)<</, "<</TU(D:20261121150000Z)/TS 903 0 R"] as const;
const timed =
  (from: string | RegExp, to: string, more: Objects = {}): Attack =>
  async (stage) => {
    const { number, syntax } = lastObject(stage.archived, "/Type/DSS");
    const token = Array.from(await stage.pki.tsa.timestamp(new Uint8Array(32)), (byte) =>
      String.fromCharCode(byte),
    ).join("");
    const store = swap(syntax, ...TIMED);
    const objects = {
      [number]: store,
      903: `<</Length ${token.length}>>\nstream\n${token}\nendstream`,
    };
    const first = forgedRevision(stage.archived, { objects });
    return from === ""
      ? first
      : forgedRevision(first, { objects: { [number]: swap(store, from, to), ...more } });
  };
const STORE: Attacks = {
  "VRI: another time": timed("/TU(D:20261121150000Z)", "/TU(D:20201121150000Z)"),
  "VRI: its time gone": timed("/TU(D:20261121150000Z)", ""),
  "VRI: its time-stamp gone": timed("/TS 903 0 R", ""),
  "VRI: another time-stamp": timed("/TS 903 0 R", "/TS 904 0 R", {
    904: "<</Length 1>>\nstream\nx\nendstream",
  }),
  "VRI: a time-stamp that is none": inStore([/(?<=\/VRI ?<<\/[0-9A-F]{40} ?)<</, "<</TS 4 0 R"]),
  "VRI: a time that is none": inStore([/(?<=\/VRI ?<<\/[0-9A-F]{40} ?)<</, "<</TU(FAUX)"]),
  "VRI: an entry of a key that is none": inStore([/\/VRI ?<</, "/VRI<</FAUX<<>>"]),
  "VRI: another key's letters": inStore([
    /(?<=\/VRI ?<<\/)[0-9A-F]{40}/,
    "ABABABABABABABABABABABABABABABABABABABAB",
  ]),
  "VRI: an entry of nobody's, with a list": inStore([
    /\/VRI ?<</,
    `/VRI<</${"AB".repeat(20)}<</Cert[]/TU(D:20261121150000Z)>>`,
  ]),
  "VRI: an entry of nobody's, with a list that comes later": async (stage) => {
    const archived = await inStore([
      /\/VRI ?<</,
      `/VRI<</${"AB".repeat(20)}<</TU(D:20261121150000Z)>>`,
    ])(stage);
    return inStore(["<</TU", "<</Cert[]/TU"])({ ...stage, archived });
  },
  "VRI: an entry of a longer key that is none": inStore([
    /\/VRI ?<</,
    `/VRI<</${"AB".repeat(32)}<<>>`,
  ]),
  "DSS: an entry of nobody's": inStore(["/Type/DSS", "/Type/DSS/FAUX 4 0 R"]),
  "DSS: another type": inStore(["/Type/DSS", "/Type/Catalog"]),
  "DSS: an entry of a writer's changed": async (stage) => {
    const signed = await aliceSigns(
      stage,
      smallPdf({ catalogExtra: "/DSS 20 0 R", objects: { 20: "<</Type/DSS/X 4>>" } }),
    );
    return forgedRevision(signed, { objects: { 20: "<</Type/DSS/X 5>>" } });
  },
};
/** A new entry keyed by a value's SHA-256. */
const longKeyed: Attack = async (stage) => {
  const contents = /\/Contents ?<([0-9A-Fa-f]+)>/.exec(latinText(stage.archived))?.[1] ?? "";
  const key = toHex(
    await digest("SHA-256", Uint8Array.from(Buffer.from(contents, "hex"))),
  ).toUpperCase();
  return inStore([/\/VRI ?<</, `/VRI<</${key}<<>>`])(stage);
};
/** A new entry for another entry's time-stamp. */
const stampKeyed: Attack = async (stage) => {
  const archived = await timed("", "")(stage);
  const [, length = "", token = ""] =
    /\n903 0 obj\n<<\/Length (\d+)>>\nstream\n([^]*)/.exec(latinText(archived)) ?? [];
  const key = toHex(
    await digest("SHA-1", latinBytes(token.slice(0, Number(length)))),
  ).toUpperCase();
  return inStore([/\/VRI ?<</, `/VRI<</${key}<</Cert[]>>`])({ ...stage, archived });
};
export const HONEST_STORE: Attacks = {
  "a store whose entries say when they were made": timed("", ""),
  "a store with an entry whose key is a digest by SHA-256": longKeyed,
  "a store with an entry for another entry's time-stamp": stampKeyed,
  "a store with an entry of nobody's that says a time alone, as Acrobat writes": inStore([
    /\/VRI ?<</,
    `/VRI<</${"AB".repeat(20)}<</TU(D:20261121150000Z)>>`,
  ]),
};

const docMdp = (level: string): string =>
  `/Reference[<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2/P ${level}>>>>]`;
const TEXT = "<</Type/Annot/Subtype/Widget/FT/Tx/T(montant)/F 4/P 3 0 R/Rect[72 500 300 530]";
const WITH_TEXT = smallPdf({
  catalogExtra: "/AcroForm<</Fields[20 0 R]/DA(/Helv 12 Tf 0 g)>>",
  pageExtra: "/Annots[20 0 R]",
  objects: { 20: `${TEXT}>>` },
});
const fill = (bytes: Uint8Array): Uint8Array =>
  forgedRevision(bytes, { objects: { 20: `${TEXT}/V(9999)>>` } });
const LOCKS: Attacks = {
  "stamp: a certification of its own": (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, widget("/Rect[0 0 0 0]/V 900 0 R")), {
      more: docMdp("1"),
    }),
  "stamp: a lock of its own": (stage) =>
    stamped(stage, stage.archived, withField(stage.archived, widget("/Rect[0 0 0 0]/V 900 0 R")), {
      more: "/Reference[<</TransformMethod/FieldMDP/TransformParams<</Action/All>>>>]",
    }),
  "certification: of a catalog that does not know it, then filled": async (stage) =>
    fill(await aliceSigns(stage, WITH_TEXT, { reference: docMdp("2") })),
  "certification: two levels, the lenient one last": async (stage) =>
    fill(await aliceSigns(stage, WITH_TEXT, { certification: 2, levels: [1, 2] })),
  "certification: a level that is none, then filled": async (stage) =>
    fill(await aliceSigns(stage, WITH_TEXT, { certification: 9 })),
  "certification: nothing allowed, then filled": async (stage) =>
    fill(await aliceSigns(stage, WITH_TEXT, { certification: 1 })),
};
/**
 * What the file says of itself, what its author asks of signers, what a later revision prepares.
 */
export const MEANING_ATTACKS: Attacks = {
  ...METADATA,
  ...SEEDS,
  ...FIELDS,
  ...STORE,
  ...LOCKS,
  ...NUMBER_ATTACKS,
};
