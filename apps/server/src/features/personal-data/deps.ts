import type { AccountDeps } from "../accounts/index.ts";
import type { PrintDeps } from "../prints/index.ts";

/** What the use cases of personal data need. */
export type PersonalDataDeps = { readonly accounts: AccountDeps; readonly prints: PrintDeps };
