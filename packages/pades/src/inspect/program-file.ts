import { PdfDict, PdfStream } from "@libpdf/core";
import { PadesError } from "../pades-error.ts";
import { decodedData, decodingBudget } from "../pdf/decoded-data.ts";
import { dictAt, follow, type OpenPdf, textAt } from "../pdf/open-pdf.ts";

/** What a double click runs, installs, mounts or lets run, by the systems people have. */
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
/** How programs, installers and scripts begin: Windows, ELF, Mach-O both ways and widths, a script's `#!`, archives, links, compiled help. */
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

/** Says whether an attachment is a program by its name, or by its first bytes, whichever of its names and streams says so. */
export function isProgram(open: OpenPdf, specification: PdfDict): boolean {
  const names = ["UF", "F", "Unix", "Mac", "DOS"].map((key) => textAt(open, specification, key));
  if (names.some((name) => name !== undefined && isProgramName(name))) return true;
  const files = dictAt(open, specification, "EF") ?? new PdfDict();
  return [...files].some(([, value]) => {
    const stream = follow(open, value);
    return stream instanceof PdfStream && startsAsProgram(open, stream);
  });
}

/** Windows drops dots and blanks at the end of a name, and what follows a colon; nothing shows characters without a width. */
export function isProgramName(name: string): boolean {
  const shown = name.replace(/[\p{C}]/gu, "").replace(/^(.+?\.[^.:\\/]+):.*$/s, "$1");
  const suffix = /\.([^.\\/]*)$/.exec(shown.replace(/[\s\p{Z}.]+$/u, ""))?.[1];
  return suffix !== undefined && PROGRAM_SUFFIXES.has(suffix.trim().toLowerCase());
}

/** What was found of a stream: a hundred thousand specifications may name the same. */
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
