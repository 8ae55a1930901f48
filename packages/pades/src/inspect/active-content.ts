import { PdfArray, PdfDict, type PdfObject, PdfStream } from "@libpdf/core";
import { ownEntry, PadesError } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/deflate.ts";
import { dictAt, follow, nameAt, type OpenPdf, textAt } from "../pdf/open-pdf.ts";
import type { FindingCode } from "../pdf/types.ts";
import { emptyForm } from "./flatten-layers.ts";
import { disarm } from "./reader-dependent.ts";
import { eachDict } from "../pdf/walk-objects.ts";

/** Suffixes that a double click runs, installs or mounts. */
const PROGRAM_SUFFIXES = new Set(
  [
    "exe com scr pif bat cmd cpl msi msp mst msu msix msixbundle appx appxbundle appinstaller application appref-ms dll ocx sys drv",
    "js jse mjs vb vbe vbs vbp wsf wsh wsc ws sct hta htc hlp hpj chm cnt its jar jnlp class xbap xll xlam bas fxp prg prf pcd plg",
    "ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psm1 psdm1 msh msh1 msh2 msc mshxml diagcab diagcfg diagpkg gadget printerexport webpnp",
    "lnk url website webloc desktop scf inf ins isp job reg rgs shb shs theme themepack deskthemepack settingcontent-ms library-ms",
    "search-ms searchconnector-ms vsmacros vsw udl osd ops grp mad maf mag mam maq mar mas mat mau mav maw mda mde mdt mdw mdz ade adp",
    "accde accda docm dotm xlsm xltm xlsb xla pptm potm ppam ppsm sldm wiz iqy slk one onepkg rdp rdg",
    "sh bash csh ksh zsh fish command tool terminal workflow action scpt scptd applescript osascript app pkg mpkg dmg kext prefpane",
    "apk aab ipa deb rpm snap flatpak appimage run bin elf so out iso img vhd vhdx vmdk udf toast",
    "py pyc pyo pyw pyz pyzw pl rb php phar lua tcl",
  ].flatMap((line) => line.split(" ")),
);
/** Programs, installers and scripts by their first bytes. */
const PROGRAM_STARTS = [
  [0x4d, 0x5a],
  [0x7f, 0x45, 0x4c, 0x46],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x23, 0x21],
  [0x21, 0x3c, 0x61, 0x72, 0x63, 0x68, 0x3e],
  [0x78, 0x61, 0x72, 0x21],
  [0xed, 0xab, 0xee, 0xdb],
  [0x49, 0x54, 0x53, 0x46],
  [0x4c, 0x00, 0x00, 0x00, 0x01, 0x14, 0x02, 0x00],
] as const;

function isProgram(open: OpenPdf, specification: PdfDict): boolean {
  const names = ["UF", "F", "Unix", "Mac", "DOS"].map((key) => textAt(open, specification, key));
  if (names.some((name) => name !== undefined && isProgramName(name))) return true;
  const files = dictAt(open, specification, "EF") ?? new PdfDict();
  return [...files].some(([, value]) => {
    const stream = follow(open, value);
    return stream instanceof PdfStream && startsAsProgram(open, stream);
  });
}

/**
 * Windows ignores dots and blanks at the end and what follows a colon; zero-width characters are
 * invisible.
 */
export function isProgramName(name: string): boolean {
  const shown = name.replace(/[\p{C}]/gu, "").replace(/^(.+?\.[^.:\\/]+):.*$/s, "$1");
  const suffix = /\.([^.\\/]*)$/.exec(shown.replace(/[\s\p{Z}.]+$/u, ""))?.[1];
  return suffix !== undefined && PROGRAM_SUFFIXES.has(suffix.trim().toLowerCase());
}

const FOUND = new WeakMap<PdfStream, boolean>();

function startsAsProgram(open: OpenPdf, stream: PdfStream): boolean {
  const found = FOUND.get(stream) ?? beginsAsProgram(open, stream);
  FOUND.set(stream, found);
  return found;
}

function beginsAsProgram(open: OpenPdf, stream: PdfStream): boolean {
  try {
    const head = decodedData(stream, decodingBudget(open));
    return PROGRAM_STARTS.some((start) => start.every((byte, index) => head[index] === byte));
  } catch (cause) {
    if (cause instanceof PadesError) throw cause;
    throw new PadesError("pdf_damaged", "Expected readable attachments", { cause });
  }
}

/** Every other scheme belongs to a program. */
const KNOWN_SCHEMES = new Set(["http", "https", "mailto", "tel"]);

/**
 * Whether an address is anything but a page, a mail, a call or a relative path.
 * Source: RFC 3986 §3.1, §4.2.
 */
export function isUnsafeAddress(address: string | undefined): boolean {
  // Readers drop blanks, controls and zero-width characters before the scheme.
  const written = (address ?? "").replace(/[\s\p{C}\p{Z}]/gu, "");
  const scheme = /^([^/?#\\]*?):/.exec(written)?.[1];
  if (scheme !== undefined) return !KNOWN_SCHEMES.has(scheme.toLowerCase());
  // Two slashes name another machine.
  return /^[\\/]{2}/.test(written);
}

type ActiveContent = {
  readonly counts: ReadonlyMap<FindingCode, number>;
  readonly executableAttachments: number;
};

/** Links (URI) and jumps inside the document stay. Source: ISO 32000-2 §12.6.4, table 201. */
const ACTIONS: Readonly<Record<string, FindingCode>> = {
  JavaScript: "javascript",
  Launch: "launch_action",
  GoToR: "external_action",
  GoToE: "external_action",
  SubmitForm: "external_action",
  ImportData: "external_action",
  ResetForm: "external_action",
  Hide: "hidden_layers",
  SetOCGState: "hidden_layers",
  Rendition: "multimedia",
  Movie: "multimedia",
  Sound: "multimedia",
  RichMediaExecute: "multimedia",
};
/**
 * Readers differ on data in another file, or for print alone.
 * Source: ISO 32000-2 §7.3.8.2 (external data), §8.10.4 (reference XObjects), §8.9.5.4 (alternate
 * images), §14.11.7 (OPI); ISO 32000-1 §8.8.2, §8.10.1 (PostScript in a form, which printers run).
 */
type Elsewhere = {
  readonly code: FindingCode;
  readonly keys: readonly string[];
  isThere(open: OpenPdf, stream: PdfStream): boolean;
};
const ELSEWHERE: readonly Elsewhere[] = [
  {
    code: "external_action",
    keys: ["F", "FFilter", "FDecodeParms"],
    isThere: (_open, stream) => stream.has("F"),
  },
  {
    code: "external_action",
    keys: ["Ref"],
    isThere: (open, stream) => nameAt(open, stream, "Subtype") === "Form" && stream.has("Ref"),
  },
  {
    code: "alternate_images",
    keys: ["Alternates"],
    isThere: (open, stream) =>
      nameAt(open, stream, "Subtype") === "Image" && stream.has("Alternates"),
  },
  { code: "reader_dependent", keys: ["OPI"], isThere: (_open, stream) => stream.has("OPI") },
  {
    code: "reader_dependent",
    keys: ["Subtype2", "PS"],
    isThere: (open, stream) =>
      nameAt(open, stream, "Subtype") === "Form" && (stream.has("Subtype2") || stream.has("PS")),
  },
];
/** Printers run these; screens show nothing. Source: ISO 32000-1 §8.8.2. */
const isPostScript = (open: OpenPdf, dict: PdfDict): dict is PdfStream =>
  dict instanceof PdfStream && nameAt(open, dict, "Subtype") === "PS";
/** Only some readers apply them. Source: ISO 32000-2 §10.5, table 57. */
const TRANSFERS = ["TR", "TR2"] as const;
const REMOVED: ReadonlySet<FindingCode> = new Set([
  "javascript",
  "launch_action",
  "external_action",
  "alternate_images",
  "hidden_layers",
  "structure_rebuilt",
  "portfolio",
  "reader_dependent",
  "form_values",
]);
const MULTIMEDIA = new Set(["RichMedia", "Screen", "3D", "Movie", "Sound"]);
export const isRemoved = (code: FindingCode): boolean => REMOVED.has(code);

/**
 * Walks every object that the trailer reaches.
 * Errors: `pdf_too_complex` when the graph is deeper or larger than any honest file.
 */
export function activeContent(open: OpenPdf): ActiveContent {
  const counts = new Map<FindingCode, number>();
  const count = (code: FindingCode): void => void counts.set(code, (counts.get(code) ?? 0) + 1);
  let executableAttachments = 0;
  // ISO 32000-2 §12.3.5: some readers show it instead of the pages.
  if (open.catalog.has("Collection")) count("portfolio");
  for (const dict of eachDict(open)) {
    const action = actionFinding(open, dict);
    if (action) count(action);
    // ISO 32000-2 §7.3.8.2: required; readers guess the end differently.
    if (dict instanceof PdfStream && !dict.has("Length")) count("structure_rebuilt");
    if (dict instanceof PdfStream)
      for (const { code, isThere } of ELSEWHERE) if (isThere(open, dict)) count(code);
    if (isPostScript(open, dict) || transferringStates(open, dict).length > 0)
      count("reader_dependent");
    if (MULTIMEDIA.has(nameAt(open, dict, "Subtype") ?? "")) count("multimedia");
    if (dictAt(open, dict, "EF") === undefined) continue;
    count("attachments");
    if (isProgram(open, dict)) executableAttachments += 1;
  }
  return { counts, executableAttachments };
}

/**
 * A script counts wherever it stands (§12.6.4.14: in a rendition); readers look at `/S`, not at the
 * optional `/Type` (§12.6.2).
 */
function actionFinding(open: OpenPdf, dict: PdfDict): FindingCode | null {
  const kind = nameAt(open, dict, "S");
  if (dict.has("JS") || kind === "JavaScript") return "javascript";
  if (kind === "Thread") return dict.has("F") ? "external_action" : null;
  if (kind === "URI") return isUnsafeAddress(textAt(open, dict, "URI")) ? "external_action" : null;
  // Relative addresses have this base (§12.6.4.8, table 211).
  if (kind === undefined && isUnsafeAddress(textAt(open, dict, "Base"))) return "external_action";
  const type = nameAt(open, dict, "Type");
  const found = ownEntry(ACTIONS, kind ?? "") ?? null;
  // Dictionaries of other types also have `/S /Sound`.
  return type === undefined || type === "Action" || ALWAYS_ACTIONS.has(kind ?? "") ? found : null;
}

const ALWAYS_ACTIONS = new Set([
  "Launch",
  "GoToR",
  "GoToE",
  "SubmitForm",
  "ImportData",
  "ResetForm",
  "SetOCGState",
  "RichMediaExecute",
]);

function transferringStates(open: OpenPdf, dict: PdfDict): readonly PdfDict[] {
  const named = dictAt(open, dict, "ExtGState");
  if (named === undefined) return [];
  return [named, ...Array.from(named, ([, value]) => follow(open, value))].filter(
    (state): state is PdfDict =>
      state instanceof PdfDict &&
      TRANSFERS.some((key) =>
        [PdfDict, PdfArray].some((kind) => follow(open, state.get(key)) instanceof kind),
      ),
  );
}

function useOwnData(open: OpenPdf, dict: PdfDict): void {
  for (const state of transferringStates(open, dict))
    for (const key of TRANSFERS) state.delete(key);
  if (!(dict instanceof PdfStream)) return;
  if (isPostScript(open, dict)) emptyForm(dict);
  for (const { keys, isThere } of ELSEWHERE)
    if (isThere(open, dict)) for (const key of keys) dict.delete(key);
}

/**
 * Removes scripts, actions that leave the document or change what it shows, and a portfolio's
 * cover.
 */
export function removeActions(open: OpenPdf): void {
  const names = dictAt(open, open.catalog, "Names");
  names?.delete("JavaScript");
  open.catalog.delete("Collection");
  const banned = (value: PdfObject | undefined): boolean => {
    const target = follow(open, value);
    if (!(target instanceof PdfDict)) return false;
    const finding = actionFinding(open, target);
    return finding !== null && isRemoved(finding);
  };
  for (const dict of eachDict(open)) {
    disarm(dict);
    useOwnData(open, dict);
    for (const [key, value] of Array.from(dict)) {
      if (banned(value)) dict.delete(key.value);
      const list = follow(open, value);
      if (!(list instanceof PdfArray) || !list.toArray().some(banned)) continue;
      dict.set(key.value, new PdfArray(list.toArray().filter((item) => !banned(item))));
    }
  }
}
