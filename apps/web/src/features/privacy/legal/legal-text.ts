export type LegalSection = {
  /** The fragment of its address. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly (string | { readonly list: readonly string[] })[];
  /** The table of what is kept stands after the blocks. */
  readonly hasTable?: true;
  readonly links?: readonly { readonly to: string; readonly label: string }[];
};

export type LegalText = {
  readonly title: string;
  readonly lede: string;
  /** The day it took effect, `YYYY-MM-DD`. */
  readonly since: string;
  readonly sections: readonly LegalSection[];
};
