import type { AccountDeps } from "../accounts/public.ts";
import type { PrintDeps } from "../proof/public.ts";

/** What the use cases of personal data need. */
export type PersonalDataDeps = { readonly accounts: AccountDeps; readonly prints: PrintDeps };
