import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofContent } from "@paraphe/contracts/proof-file";
import { readStatement, type SignedStatement, verifyStatement } from "../statement/statement.ts";
import { fromBase64, toHex } from "./bytes.ts";
import type { BroughtFile, CheckState, ProofCheck } from "./types.ts";

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

const statement = (state: CheckState, sentence: string): ProofCheck => ({ name: "statement", state, subject: null, sentence });
const paper = (state: CheckState, sentence: string): ProofCheck => ({ name: "paper", state, subject: null, sentence });

/** What an address that a QR code holds is checked against. `content`: of a proof whose seal holds; null without one. */
export type StatementContext = { readonly content: ProofContent | null; readonly files: readonly BroughtFile[] };

/**
 * Checks the statement at the end of a printed page's address: whose it is, of which print, and of which of the files.
 * Shape: `address` is what the code holds, `{service}/verify/{id}?sig=…#{statement}`. One that leads to another place than the service that the proof names is
 * somebody else's, whatever true statement was copied to its end.
 */
export async function checkStatement(address: string, { content, files }: StatementContext): Promise<readonly ProofCheck[]> {
  // The first one begins the fragment, whatever stands after it (WHATWG URL §4.4): what the service's page is asked about is all of it.
  const at = address.indexOf("#");
  const printId = UUID.exec(address.slice(0, at))?.[0];
  const signed = at < 0 || printId === undefined ? null : readStatement(printId, address.slice(at + 1).trim());
  // A code that was read in part accuses nobody; nor does it vouch for anything.
  if (signed === null)
    return [
      statement("not_checked", "Cette adresse est incomplète, ou n’est pas celle d’un QR code de ce service\u00a0: rien n’en est vérifié."),
    ];
  const stray = content === null ? null : strayPlace(address, { service: content.service, printId: signed.statement.printId });
  if (stray !== null)
    return [
      statement(
        "failed",
        `L’adresse du QR code mène à «\u00a0${stray}\u00a0», et non à cette copie chez le service que la preuve nomme\u00a0: ne l’ouvrez pas.`,
      ),
      checkPaper(signed, { files, isSigned: false }),
    ];
  const signer = await checkSigner(signed, content);
  return [signer, checkPaper(signed, { files, isSigned: signer.state === "ok" })];
}

/** Gives the place that an address leads to, where it is not the page of this print at this service; null where it is. Source: WHATWG URL §4.5 (origin). */
function strayPlace(address: string, { service, printId }: { readonly service: string; readonly printId: string }): string | null {
  try {
    const home = new URL(service);
    // Some readers of codes leave the scheme out.
    const { origin, host, pathname } = new URL(address.includes("://") ? address.trim() : `${home.protocol}//${address.trim()}`);
    return origin === home.origin && pathname.toLowerCase() === `/verify/${printId}` ? null : `${host}${pathname}`;
  } catch {
    // What is no address leads nowhere.
    return address.slice(0, address.indexOf("#"));
  }
}

async function checkSigner(signed: SignedStatement, content: ProofContent | null): Promise<ProofCheck> {
  const { pageNumber, pageCount, madeOn } = signed.statement;
  const what = pageNumber === 0 ? `une page ajoutée à un document de ${pageCount} page(s)` : `la page ${pageNumber} sur ${pageCount}`;
  const said = `Le QR code parle de ${what}, copie faite le ${madeOn.split("-").toReversed().join("/")}`;
  if (content === null) return statement("not_checked", `${said}\u202f; sans la preuve, rien ne dit ici qui l’a signé.`);
  if (content.print?.id !== signed.statement.printId)
    return statement(
      "not_checked",
      `${said}\u202f; la preuve donnée n’est pas celle de cette copie\u00a0: elle en nomme une autre, ou aucune.`,
    );
  const isSignedBy = async (keys: readonly string[]) => (await verifyStatement(signed, keys.map(fromBase64))) !== null;
  if (await isSignedBy(content.revoked_statement_keys ?? []))
    return statement(
      "not_checked",
      `${said}\u202f; mais la clé du cachet qui l’a signé a été révoquée\u00a0: rien ne prouve qu’il ait été fait avant, ni par le service.`,
    );
  return (await isSignedBy(content.statement_keys))
    ? statement("ok", `${said}, et le cachet du service l’a signé.`)
    : statement("failed", "Le QR code n’est pas signé par le service que la preuve nomme.");
}

type PaperWork = { readonly files: readonly BroughtFile[]; readonly isSigned: boolean };

/** Of which file a code speaks; what nobody is known to have signed says nothing right. */
function checkPaper({ statement: { hashPrefix } }: SignedStatement, { files, isSigned }: PaperWork): ProofCheck {
  if (files.length === 0) return paper("not_checked", "Donnez le PDF pour savoir si le papier parle de lui.");
  const prefix = toHex(hashPrefix);
  const own = files.find(({ bytes }) => toHex(sha256(bytes)).startsWith(prefix));
  if (own === undefined)
    return paper("failed", "Le papier parle d’un autre fichier que ceux qui sont donnés ici, ou d’un état antérieur du même document.");
  const said = isSigned
    ? paper("ok", "C’est de ce fichier, dans cet état, que le papier parle.")
    : paper("not_checked", "Le code dit parler de ce fichier, dans cet état\u202f; rien ne dit ici que le service l’ait signé.");
  return { ...said, subject: own.name };
}
