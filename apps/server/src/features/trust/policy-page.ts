import { BRAND_MARK } from "./brand-mark.ts";
import { escape, type PolicyFacts, policySections } from "./policy-text.ts";

/** The page's own styles, our own fonts, and nothing from elsewhere. */
export const POLICY_PAGE_CSP =
  "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Gives the certification policy as a page in French. */
export function policyPage(facts: PolicyFacts & { readonly fontFaces: string }): string {
  const sections = policySections(facts).map(
    ({ title, paragraphs }) => `<section><h2>${title}</h2>${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("")}</section>`,
  );
  const publicUrl = escape(facts.publicUrl);
  return `<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Politique de certification – Paraphe</title><style>${facts.fontFaces}${STYLE}</style></head><body>
<header><a class="brand" href="/" aria-label="Paraphe, accueil">${BRAND_MARK}<span>Paraphe</span></a><a href="/">Retour à l’accueil</a></header><main>
<h1>Politique de certification</h1>
<p>Ce que valent les certificats et les horodatages émis par le service ${publicUrl}, et ce qu’ils ne valent pas.</p>
${sections.join("\n")}
<section><h2>10. Adresses publiques</h2><ul>
<li><a href="/pki/ca.pem">Certificats des autorités (PEM)</a></li>
<li><a href="/pki/root.crt">Certificat de la racine</a></li>
<li><a href="/pki/crl.der">Liste des certificats révoqués</a> et <a href="/pki/root.crl">liste de la racine</a></li>
<li>Statut d’un certificat (OCSP)\u00a0: <code>${publicUrl}/pki/ocsp</code></li>
<li>Horodatage (RFC\u00a03161)\u00a0: <code>${publicUrl}/pki/tsa</code></li>
</ul></section>
<nav aria-label="Autres pages"><a href="/">Retour à l’accueil</a> · <a href="/conditions">Conditions d’utilisation</a> · <a href="/confidentialite">Confidentialité</a> · <a href="/journal-de-transparence">Journal de transparence</a></nav></main></body></html>`;
}

/** The tokens of the client's own pages, light and dark. */
const STYLE =
  ":root{color-scheme:light dark;--ink:#151b2e;--ink-2:#434c66;--surface:#fff;--canvas:#f3f4f8;--line:#dfe3ec;--accent:#2a3f9d}" +
  "@media(prefers-color-scheme:dark){:root{--ink:#eceff8;--ink-2:#b7bfd4;--surface:#161b2c;--canvas:#0e1220;--line:#283048;--accent:#a9b8ff}}" +
  'body{font:400 .875rem/1.6 "Instrument Sans",system-ui,-apple-system,"Segoe UI",sans-serif;word-spacing:.09em;margin:0;color:var(--ink);background:var(--canvas)}' +
  "header{display:flex;align-items:center;justify-content:space-between;gap:1rem;min-height:60px;padding:0 clamp(1rem,3vw,2rem);background:var(--surface);border-bottom:1px solid var(--line)}" +
  '.brand{display:inline-flex;align-items:center;gap:8px;min-height:44px;font:500 1.375rem/1 "Spectral",Georgia,"Times New Roman",serif;color:var(--ink);text-decoration:none}.brand svg{color:var(--accent)}' +
  'main{max-width:760px;margin:0 auto;padding:2rem clamp(1rem,3vw,2rem)}h1,h2{font-family:"Spectral",Georgia,serif;font-weight:500;line-height:1.2}h1{font-size:1.75rem}h2{font-size:1.125rem}' +
  "section p,section li{color:var(--ink-2);overflow-wrap:anywhere}a{color:var(--accent)}code{overflow-wrap:anywhere}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}" +
  "@media print{header{display:none}body{background:#fff;color:#000}}";
