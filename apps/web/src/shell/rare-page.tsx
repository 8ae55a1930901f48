import { lazyPage } from "./lazy-page.tsx";

const loadReturn = () => import("../features/accounts/login/provider-return-page.tsx");

const PAGES = {
  conditions: lazyPage(
    () => import("../features/privacy/legal/conditions-page.tsx"),
    "ConditionsPage",
  ),
  privacy: lazyPage(() => import("../features/privacy/legal/privacy-page.tsx"), "PrivacyPage"),
  register: lazyPage(() => import("../features/accounts/register-page.tsx"), "RegisterPage"),
  passwordReset: lazyPage(
    () => import("../features/accounts/password-reset-page.tsx"),
    "PasswordResetPage",
  ),
  resetPassword: lazyPage(
    () => import("../features/accounts/reset-password-page.tsx"),
    "ResetPasswordPage",
  ),
  firstStart: lazyPage(
    () => import("../features/organisations/first-start/first-start-page.tsx"),
    "FirstStartPage",
  ),
  invitation: lazyPage(
    () => import("../features/organisations/members/invitation-page.tsx"),
    "InvitationPage",
  ),
  providerReturn: lazyPage(loadReturn, "ProviderReturnPage"),
  providerTrial: lazyPage(loadReturn, "ProviderTrialPage"),
};

/** Kept apart, because every page's first load names the parts of the other routes. */
export function RarePage({ page }: { readonly page: keyof typeof PAGES }) {
  const Page = PAGES[page];
  return <Page />;
}
