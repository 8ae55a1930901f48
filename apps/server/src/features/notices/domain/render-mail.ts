import type { Colour, Palette } from "@paraphe/contracts";

export type MailOrganisation = {
  readonly name: string;
  /** Shown at the end of a mail; by default name and address. */
  readonly footer: string;
  readonly colours: { readonly light: Palette; readonly dark: Palette } | null;
  /** Sizes are pixels as shown. `isWide`: it contains the name. */
  readonly logo: {
    readonly cid: string;
    readonly width: number;
    readonly height: number;
    readonly isWide: boolean;
  } | null;
};

/** Has no link: nothing in a code's mail may become one. */
function footer(organisation: MailOrganisation | null): string {
  return organisation === null
    ? "Paraphe, signature électronique. Message envoyé automatiquement."
    : `${organisation.footer.replace(/[.\s]*$/, "")}. Message envoyé automatiquement par Paraphe, signature électronique.`;
}

/**
 * Serves text and HTML.
 * Shape: `action.link` is whole; `quote`: the sender's message.
 */
export type MailModel = {
  readonly subject: string;
  /** Shown before « via Paraphe »; null: the service's own. */
  readonly senderName: string | null;
  readonly replyTo: string | null;
  /** Mail programs list it beside the subject. */
  readonly preview: string;
  readonly paragraphs: readonly string[];
  readonly quote: string | null;
  readonly code: string | null;
  readonly list?: readonly {
    readonly words: string;
    readonly moment: string | null;
    readonly link: string | null;
  }[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly action: { readonly label: string; readonly link: string } | null;
  readonly notes: readonly string[];
};

export const PLAIN_MAIL = {
  senderName: null,
  replyTo: null,
  quote: null,
  code: null,
  facts: [],
  action: null,
  notes: [],
} as const satisfies Partial<MailModel>;

export function renderMailText(
  model: MailModel,
  fullName: string,
  organisation: MailOrganisation | null = null,
): string {
  const blocks = [
    greeting(fullName),
    ...model.paragraphs,
    model.quote
      ?.split("\n")
      .map((line) => `> ${line}`.trimEnd())
      .join("\n"),
    model.code,
    ...(model.list ?? []).map(({ words, moment, link }) =>
      [`- ${words}`, moment && `  ${moment}`, link && `  ${link}`].filter(Boolean).join("\n"),
    ),
    model.facts.map(([label, value]) => `${label}\u00a0: ${value}`).join("\n"),
    model.action && `${model.action.label}\u00a0:\n${model.action.link}`,
    ...model.notes,
    `-- \n${footer(organisation)}`,
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

function greeting(fullName: string): string {
  return fullName === "" ? "Bonjour," : `Bonjour ${fullName},`;
}

/**
 * Uses no table and no image but its own parts, so that opening it reveals nothing. Light colours
 * are inline, for programs that drop `<style>`.
 */
export function renderMailHtml(
  model: MailModel,
  fullName: string,
  organisation: MailOrganisation | null = null,
): string {
  const { light } = organisation?.colours ?? OWN_COLOURS;
  const body = [
    `<p class="ink" style="${STYLES.text}">Bonjour${fullName === "" ? "" : ` ${escapeHtml(fullName)}`},</p>`,
    ...model.paragraphs.map(
      (text) => `<p class="ink" style="${STYLES.text}">${escapeHtml(text)}</p>`,
    ),
    model.quote
      ? `<blockquote class="ink quote" style="${STYLES.quote}">${escapeHtml(model.quote).replaceAll("\n", "<br>")}</blockquote>`
      : "",
    model.code ? `<p class="ink code" style="${STYLES.code}">${escapeHtml(model.code)}</p>` : "",
    model.list ? list(model.list, light.accent) : "",
    ...model.facts.map(
      ([label, value]) =>
        `<p class="ink" style="${STYLES.text}">${escapeHtml(label)}&nbsp;: <strong>${escapeHtml(value)}</strong></p>`,
    ),
    model.action ? action(model.action, light.accent) : "",
    ...model.notes.map((text) => `<p class="soft" style="${STYLES.note}">${escapeHtml(text)}</p>`),
    `<p class="soft" style="${STYLES.note};margin-top:24px">${escapeHtml(footer(organisation)).replaceAll("\n", "<br>")}</p>`,
  ];
  return page(model, body.filter(Boolean).join("\n"), organisation);
}

function page(model: MailModel, body: string, organisation: MailOrganisation | null): string {
  const { light, dark } = organisation?.colours ?? OWN_COLOURS;
  // Red marks a mail that asks its reader to act.
  const waits = model.senderName !== null && model.action !== null;
  const sheet = waits
    ? { names: "sheet waits", style: STYLES.sheet + STYLES.waits }
    : { names: "sheet", style: STYLES.sheet };
  return `<!doctype html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(model.subject)}</title>
<style>${darkStyle(dark)}</style>
</head>
<body class="desk" style="margin:0;padding:24px 12px;background:#f3f4f8">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(model.preview)}</div>
<div class="${sheet.names}" role="article" aria-label="${escapeHtml(model.subject)}" style="${sheet.style}">
<p class="accent" style="${STYLES.brand};color:${light.accent}">${brandOf(organisation)}</p>
${body}
</div>
</body>
</html>
`;
}

/** A logo stands on white in the dark, as it was drawn for paper. */
function brandOf(organisation: MailOrganisation | null): string {
  const name = escapeHtml(organisation?.name ?? "Paraphe");
  if (!organisation?.logo) return name;
  const { cid, width, height, isWide } = organisation.logo;
  const alt = isWide ? name : "";
  const picture = `<img src="cid:${cid}" width="${width}" height="${height}" alt="${alt}" style="${STYLES.logo}">`;
  return isWide ? picture : `${picture} <span style="vertical-align:middle">${name}</span>`;
}

function list(items: NonNullable<MailModel["list"]>, accent: Colour): string {
  const rows = items.map(({ words, moment, link }) => {
    const shown =
      link === null
        ? escapeHtml(words)
        : `<a class="accent" href="${escapeHtml(link)}" style="color:${accent}">${escapeHtml(words)}</a>`;
    const when =
      moment === null
        ? ""
        : `<br><span class="soft" style="color:#545b75;font-size:14px">${escapeHtml(moment)}</span>`;
    return `<li class="ink" style="${STYLES.item}">${shown}${when}</li>`;
  });
  return `<ul class="ink" style="${STYLES.list}">\n${rows.join("\n")}\n</ul>`;
}

function action(value: { readonly label: string; readonly link: string }, accent: Colour): string {
  const link = escapeHtml(value.link);
  return `<p style="margin:24px 0"><a class="button" href="${link}" style="${STYLES.button};background:${accent}">${escapeHtml(value.label)}</a></p>
<p class="soft" style="${STYLES.note}">Si le bouton ne répond pas, copiez cette adresse dans votre navigateur&nbsp;:<br><a class="accent" href="${link}" style="color:${accent};word-break:break-all">${link}</a></p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
const STYLES = {
  sheet: `max-width:560px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #d5d9e6;border-radius:7px;${FONT}`,
  waits: ";border-left:3px solid #c2413f",
  brand: `margin:0 0 20px;font-size:18px;font-weight:600;${FONT}`,
  logo: "vertical-align:middle;padding:4px;background:#ffffff;border:0;border-radius:5px",
  text: `margin:0 0 14px;font-size:16px;line-height:1.5;color:#1b2038;overflow-wrap:anywhere;${FONT}`,
  quote: `margin:0 0 16px;padding:4px 0 4px 14px;border-left:3px solid #aab2d5;font-size:16px;line-height:1.5;color:#1b2038;overflow-wrap:anywhere;${FONT}`,
  code: "margin:20px 0;font-size:32px;font-weight:600;letter-spacing:.08em;color:#1b2038;font-family:ui-monospace,Menlo,Consolas,monospace",
  note: `margin:0 0 10px;font-size:14px;line-height:1.5;color:#545b75;overflow-wrap:anywhere;${FONT}`,
  list: `margin:0 0 14px;padding:0 0 0 20px;${FONT}`,
  item: `margin:0 0 12px;font-size:16px;line-height:1.5;color:#1b2038;overflow-wrap:anywhere;${FONT}`,
  button: `display:inline-block;padding:12px 20px;border-radius:5px;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none;${FONT}`,
} as const;
/** These colours are not in `themes.css`. */
const OWN_COLOURS = {
  light: { accent: "#2a3f9d" },
  dark: { accent: "#a9b8ff", "on-accent": "#12141d" },
} as const;

function darkStyle(colours: Pick<Palette, "accent" | "on-accent">): string {
  const { accent, "on-accent": onAccent } = colours;
  return (
    ":root{color-scheme:light dark}@media (prefers-color-scheme:dark){.desk{background:#12141d!important}.sheet{background:#1b1e2b!important;border-color:#343a52!important}" +
    `.waits{border-left-color:#ff8f8c!important}.ink{color:#e8eaf4!important}.soft{color:#b0b6cc!important}.accent{color:${accent}!important}.quote{border-color:#5b668f!important}.button{background:${accent}!important;color:${onAccent}!important}}`
  );
}

export type MailContext = { readonly publicUrl: string };

export type MailWriters<Contents> = {
  readonly [K in keyof Contents]: (content: Contents[K], context: MailContext) => MailModel;
};

/** `host`: the site that a code's text is bound to. */
export type TextWriters<Contents> = {
  readonly [K in keyof Contents]: (content: Contents[K], host: string) => string;
};
