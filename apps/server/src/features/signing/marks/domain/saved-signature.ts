/** A mark that an account keeps, without what it is made of. */
export type SavedSignature = {
  readonly id: string;
  readonly name: string;
  readonly kind: SavedKind;
  readonly isDefault: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
};
/** How it was made; an image drawn elsewhere is `drawn` too. */
export type SavedKind = "drawn" | "typed" | "uploaded";
