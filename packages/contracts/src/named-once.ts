import * as z from "zod/mini";
import { idSchema } from "./schema.ts";

/** A list whose rows name nothing twice: two rows under one `id` would be one row, and which of them nobody could say. */
export const rowsOnce = <T extends z.ZodMiniType>(row: T, maximum: number, twice: string) =>
  z.array(row).check(
    z.maxLength(maximum),
    z.refine((rows) => isNamedOnce(rows as readonly { readonly id?: string | undefined }[]), twice),
  );

/** Ids, each at most once. */
export const idsOnce = (twice: string) => z.array(idSchema).check(z.refine((given) => new Set(given).size === given.length, twice));

function isNamedOnce(rows: readonly { readonly id?: string | undefined }[]): boolean {
  const given = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(given).size === given.length;
}
