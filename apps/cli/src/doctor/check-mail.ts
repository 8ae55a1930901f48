import { resolveTxt } from "node:dns/promises";
import type { MailTransport } from "../../../server/src/platform/message-transports.ts";
import type { Settings } from "../../../server/src/platform/settings/settings.ts";
import { bad, type Finding, good, odd } from "./finding.ts";

const SUBJECT = "Email";

/** TXT records; throws `ENODATA` and `ENOTFOUND` like `node:dns`. */
export type AskDns = (name: string) => Promise<readonly (readonly string[])[]>;
export const askDns: AskDns = resolveTxt;

export type MailQuestion = {
  readonly settings: Pick<Settings, "smtpUrl" | "mailDisabled" | "mailFrom" | "publicUrl">;
  readonly mail: MailTransport;
  /** Recipient of a real message; null: none. */
  readonly to: string | null;
  readonly newId: () => string;
  readonly dns: AskDns;
};

/**
 * Sends a message, and checks SPF, DKIM and DMARC of MAIL_FROM. Source: RFC 7208, RFC 6376, RFC
 * 7489.
 */
export async function checkMail(asked: MailQuestion): Promise<readonly Finding[]> {
  const { mailDisabled, smtpUrl } = asked.settings;
  if (mailDisabled)
    return [
      odd(SUBJECT, "MAIL=none\u00a0: aucun message ne part, chaque lien se remet à la main."),
    ];
  if (smtpUrl === null)
    return [
      odd(
        SUBJECT,
        "Les messages restent dans la boîte aux lettres locale\u00a0: donnez SMTP_URL pour qu’ils partent.",
      ),
    ];
  return [await send(asked), ...(await checkSender(asked))];
}

async function send({ mail, to, newId, settings }: MailQuestion): Promise<Finding> {
  if (to === null)
    return odd(
      SUBJECT,
      "Aucun message n’a été essayé\u00a0: relancez avec --mail et votre adresse.",
    );
  const outcome = await mail.deliver({
    messageId: `<${newId()}@${new URL(settings.publicUrl).hostname}>`,
    fromName: "Paraphe",
    replyTo: null,
    to: { name: "", address: to },
    subject: "Essai d’envoi de Paraphe",
    text: `Ce message d’essai vient de ${settings.publicUrl}. S’il est dans les indésirables, voyez SPF, DKIM et DMARC.\n`,
    html: `<p>Ce message d’essai vient de ${settings.publicUrl}. S’il est dans les indésirables, voyez SPF, DKIM et DMARC.</p>`,
    attachments: [],
  });
  if (outcome.state === "accepted")
    return good(
      SUBJECT,
      `Le serveur a pris un message pour ${to}\u00a0: regardez où il est arrivé.`,
    );
  if (outcome.state === "refused")
    return bad(
      SUBJECT,
      `Le serveur refuse un message pour ${to} (${outcome.serverAnswer})\u00a0: voyez SMTP_URL et MAIL_FROM.`,
    );
  return bad(
    SUBJECT,
    `Le serveur de SMTP_URL n’a pas pris le message (${outcome.cause ?? "sans réponse"})\u00a0: voyez son adresse, son mot de passe et SMTP_TLS.`,
  );
}

async function checkSender({ settings, dns }: MailQuestion): Promise<readonly Finding[]> {
  const domain = settings.mailFrom.split("@").at(-1) ?? "";
  if (domain === "localhost")
    return [
      bad(
        "Expéditeur",
        "MAIL_FROM est de localhost\u00a0: donnez une adresse d’un domaine à vous.",
      ),
    ];
  const [spf, dkim, dmarc] = [
    await textsOf(dns, domain, "v=spf1"),
    // Any selector: `_domainkey` exists if a name below it does (RFC 8020).
    await textsOf(dns, `_domainkey.${domain}`, ""),
    await textsOf(dns, `_dmarc.${domain}`, "v=DMARC1"),
  ];
  const found = (subject: string, state: Texts, missing: string): Finding => {
    if (state === "unknown")
      return odd(subject, `Le DNS ne répond pas pour ${domain}\u00a0: relancez plus tard.`);
    return state === "absent" ? bad(subject, missing) : good(subject, `Publié pour ${domain}.`);
  };
  return [
    found(
      "SPF",
      spf,
      `${domain} ne dit pas quels serveurs envoient pour lui\u00a0: publiez un TXT «\u00a0v=spf1 …\u00a0» qui nomme celui de SMTP_URL.`,
    ),
    found(
      "DKIM",
      dkim,
      `${domain} ne publie aucune clé DKIM\u00a0: faites signer les messages par le serveur de SMTP_URL, puis publiez sa clé.`,
    ),
    found(
      "DMARC",
      dmarc,
      `${domain} n’a pas de règle DMARC\u00a0: publiez un TXT «\u00a0v=DMARC1; p=none\u00a0» à _dmarc.${domain}, puis durcissez-la.`,
    ),
  ];
}

type Texts = "there" | "absent" | "unknown";

async function textsOf(dns: AskDns, name: string, start: string): Promise<Texts> {
  try {
    const texts = (await dns(name)).map((parts) => parts.join(""));
    return texts.some((text) => text.toLowerCase().startsWith(start.toLowerCase()))
      ? "there"
      : "absent";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENODATA") return start === "" ? "there" : "absent";
    return code === "ENOTFOUND" ? "absent" : "unknown";
  }
}
