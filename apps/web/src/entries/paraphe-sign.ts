/**
 * `<paraphe-sign src="…">`, for somebody else's page: shows an address of `embedSigning` and
 * dispatches `ready`, `signed`, `declined` and `closed`, whose `detail` has the envelope's id, and
 * the `reason` of `closed`.
 */
class ParapheSign extends HTMLElement {
  static readonly observedAttributes = ["src"];
  readonly #frame = document.createElement("iframe");
  readonly #onMessage = ({ source, origin, data }: MessageEvent): void => {
    const isOurs = source === this.#frame.contentWindow && origin === originOf(this.#frame.src);
    if (!isOurs || data?.source !== "paraphe") return;
    const detail = { envelope: data.envelope, reason: data.reason };
    this.dispatchEvent(new CustomEvent(data.type, { bubbles: true, detail }));
  };

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    // The page's own rules for the element come first.
    sheet.replaceSync(
      ":host{display:block;height:45rem;max-height:100vh}iframe{border:0;width:100%;height:100%}",
    );
    root.adoptedStyleSheets = [sheet];
    root.append(this.#frame);
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }

  set src(address: string) {
    this.setAttribute("src", address);
  }

  connectedCallback(): void {
    this.#frame.title = this.title || "Document à signer";
    addEventListener("message", this.#onMessage);
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#onMessage);
  }

  attributeChangedCallback(_name: string, _old: string | null, src: string | null): void {
    if (originOf(src) !== null) this.#frame.src = src ?? "";
  }
}

function originOf(address: string | null): string | null {
  const url = URL.parse(address ?? "");
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
}

if (customElements.get("paraphe-sign") === undefined)
  customElements.define("paraphe-sign", ParapheSign);
