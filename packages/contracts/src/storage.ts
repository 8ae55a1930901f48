import * as z from "zod/mini";

/** What an account's rows keep in storage, of what it may; `quota_bytes` is null where there is no limit. */
export const storageAnswer = z.strictObject({
  used_bytes: z.int().check(z.nonnegative()),
  quota_bytes: z.nullable(z.int().check(z.positive())),
});
export type StorageAnswer = z.infer<typeof storageAnswer>;
