import { Navigate, Route, Routes, useLocation } from "react-router";
import { ProtectedRoute, VisitorRoute } from "../features/accounts/protected-route.tsx";
import { loadPart } from "../lib/api/load-part.ts";
import { AppLayout } from "./app-layout.tsx";
import { EnvelopeArea } from "./envelope-area.tsx";
import { lazyPage, NotFoundPage } from "./lazy-page.tsx";

const LoginPage = lazyPage(() => import("../features/accounts/login-page.tsx"), "LoginPage");
const RegisterPage = lazyPage(
  () => import("../features/accounts/register-page.tsx"),
  "RegisterPage",
);
const PasswordResetPage = lazyPage(
  () => import("../features/accounts/password-reset-page.tsx"),
  "PasswordResetPage",
);
const ResetPasswordPage = lazyPage(
  () => import("../features/accounts/reset-password-page.tsx"),
  "ResetPasswordPage",
);
const DashboardPage = lazyPage(
  () => import("../features/envelopes/dashboard/dashboard-page.tsx"),
  "DashboardPage",
);
const SentPage = lazyPage(() => import("../features/envelopes/lists/sent-page.tsx"), "SentPage");
const CompletedPage = lazyPage(
  () => import("../features/envelopes/lists/completed-page.tsx"),
  "CompletedPage",
);
const ActionRequiredPage = lazyPage(
  () => import("../features/envelopes/lists/action-required-page.tsx"),
  "ActionRequiredPage",
);
const DraftsPage = lazyPage(
  () => import("../features/envelopes/lists/drafts-page.tsx"),
  "DraftsPage",
);
const DeletedPage = lazyPage(
  () => import("../features/envelopes/lists/deleted-page.tsx"),
  "DeletedPage",
);
const DetailPage = lazyPage(
  () => import("../features/envelopes/detail/detail-page.tsx"),
  "DetailPage",
);
const loadPreparePage = () => import("../features/envelopes/prepare/prepare-page.tsx");
const PreparePage = lazyPage(loadPreparePage, "PreparePage");
const TemplatesPage = lazyPage(
  () => import("../features/envelopes/templates/templates-page.tsx"),
  "TemplatesPage",
);
const SelfSignPage = lazyPage(
  () => import("../features/signing/own/self-sign-page.tsx"),
  "SelfSignPage",
);
const SignPage = lazyPage(() => import("../features/signing/sign-page.tsx"), "SignPage");
const BulkPage = lazyPage(() => import("../features/signing/batch/bulk-page.tsx"), "BulkPage");
const SuccessPage = lazyPage(() => import("../features/signing/success-page.tsx"), "SuccessPage");
const ConditionsPage = lazyPage(
  () => import("../features/privacy/legal/conditions-page.tsx"),
  "ConditionsPage",
);
const PrivacyPage = lazyPage(
  () => import("../features/privacy/legal/privacy-page.tsx"),
  "PrivacyPage",
);
const ProfilePage = lazyPage(
  () => import("../features/accounts/profile/profile-page.tsx"),
  "ProfilePage",
);
const SignaturePage = lazyPage(
  () => import("../features/accounts/settings/signature-page.tsx"),
  "SignaturePage",
);
const FirstStartPage = lazyPage(
  () => import("../features/organisations/first-start-page.tsx"),
  "FirstStartPage",
);
const SettingsRoutes = lazyPage(() => import("./settings-routes.tsx"), "SettingsRoutes");
const loadReturn = () => import("../features/accounts/provider-return-page.tsx");
const ProviderReturnPage = lazyPage(loadReturn, "ProviderReturnPage");
const ProviderTrialPage = lazyPage(loadReturn, "ProviderTrialPage");

const InvitationPage = lazyPage(
  () => import("../features/organisations/invitation-page.tsx"),
  "InvitationPage",
);

/** Prefetches the heaviest page while the session loads; the page shows a failure itself. */
export function preloadPage(address: Pick<Location, "pathname" | "search">): void {
  if (!/^\/signature\/(upload|workflow)(\/|$)/.test(address.pathname)) return;
  loadPart(loadPreparePage).then(
    ({ preloadAddressed }) => preloadAddressed(address),
    () => undefined,
  );
}

export function MemberRoutes() {
  return (
    <Routes>
      <Route element={<AppLayout />}>
        <Route index element={<Navigate to="/dashboard" replace />} />
        <Route path="login" element={<LoginPage />} />
        <Route element={<VisitorRoute />}>
          <Route path="register" element={<RegisterPage />} />
          <Route path="password-reset" element={<PasswordResetPage />} />
          <Route path="reset-password/:uid/:token" element={<ResetPasswordPage />} />
        </Route>
        <Route path="auth/:kind/retour" element={<ProviderReturnPage />} />
        <Route path="premier-demarrage" element={<FirstStartPage />} />
        <Route path="invitation" element={<InvitationPage />} />
        <Route path="conditions" element={<ConditionsPage />} />
        <Route path="confidentialite" element={<PrivacyPage />} />
        <Route path="signature/success" element={<SuccessPage />} />
        <Route element={<ProtectedRoute />}>
          <Route path="dashboard" element={<DashboardPage />} />
          <Route path="settings/*" element={<SettingsRoutes />} />
          <Route path="profile" element={<ProfilePage />} />
          <Route path="auth/:kind/essai" element={<ProviderTrialPage />} />
          <Route path="signature">
            <Route index element={<RedirectKeepingQuery to="/signature/envelopes/sent" />} />
            <Route path="new" element={<RedirectKeepingQuery to="/signature/upload" />} />
            <Route path="upload" element={<PreparePage />} />
            <Route path="workflow/:id" element={<PreparePage />} />
            <Route path="templates" element={<TemplatesPage />} />
            <Route path="bulk-same" element={<BulkPage />} />
            <Route path="detail/:id" element={<DetailPage />} />
            <Route path="sent/:id" element={<DetailPage />} />
            <Route path="self-sign" element={<SelfSignPage />} />
            <Route path="saved-signatures" element={<SignaturePage />} />
            <Route path="sign/:id" element={<SignPage />} />
            <Route path="envelopes/:id/sign" element={<SignPage />} />
            <Route path="envelopes" element={<EnvelopeArea />}>
              <Route index element={<RedirectKeepingQuery to="/signature/envelopes/sent" />} />
              <Route path="sent" element={<SentPage />} />
              <Route path="completed" element={<CompletedPage />} />
              <Route path="action-required" element={<ActionRequiredPage />} />
              <Route path="drafts" element={<DraftsPage />} />
              <Route path="deleted" element={<DeletedPage />} />
            </Route>
          </Route>
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}

function RedirectKeepingQuery({ to }: { readonly to: string }) {
  const { search, hash } = useLocation();
  return <Navigate to={{ pathname: to, search, hash }} replace />;
}
