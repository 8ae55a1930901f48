import { Navigate, Route, Routes, useLocation, Outlet } from "react-router";
import { ProtectedRoute, VisitorRoute } from "../features/accounts/protected-route.tsx";
import { loadPart } from "../lib/api/load-part.ts";
import { lazyPage, NotFoundPage } from "./lazy-page.tsx";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import type { User } from "@paraphe/contracts";
import { lacksFactor, useLogOut, useSession } from "../features/accounts/use-session.ts";
import { FullLoader } from "../ui/skeleton/skeleton.tsx";
import { lazyPart } from "../ui/lazy-step/lazy-step.tsx";
import { OfflineBanner } from "../ui/offline-banner/offline-banner.tsx";
import { SkipLink } from "../ui/skip-link/skip-link.tsx";
import { hidesTopBar } from "./menu-links.tsx";
import styles from "./top-bar.module.css";

const LoginPage = lazyPage(() => import("../features/accounts/login/login-page.tsx"), "LoginPage");
const DashboardPage = lazyPage(
  () => import("../features/envelopes/dashboard/dashboard-page.tsx"),
  "DashboardPage",
);
const loadArea = () => import("./envelope-area.tsx");
const EnvelopeArea = lazyPage(loadArea, "EnvelopeArea");
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
const ProfilePage = lazyPage(
  () => import("../features/accounts/profile/profile-page.tsx"),
  "ProfilePage",
);
const SignaturePage = lazyPage(
  () => import("../features/accounts/settings/signature-page.tsx"),
  "SignaturePage",
);
const RarePage = lazyPage(() => import("./rare-page.tsx"), "RarePage");
const SettingsRoutes = lazyPage(() => import("./settings-routes.tsx"), "SettingsRoutes");

/** Loads while the session loads; the page itself shows a failure. */
export function preloadPage(address: Pick<Location, "pathname" | "search">): void {
  if (/^\/signature\/envelopes(\/|$)/.test(address.pathname))
    loadPart(loadArea).catch(() => undefined);
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
          <Route path="register" element={<RarePage page="register" />} />
          <Route path="password-reset" element={<RarePage page="passwordReset" />} />
          <Route path="reset-password/:uid/:token" element={<RarePage page="resetPassword" />} />
        </Route>
        <Route path="auth/:kind/retour" element={<RarePage page="providerReturn" />} />
        <Route path="premier-demarrage" element={<RarePage page="firstStart" />} />
        <Route path="invitation" element={<RarePage page="invitation" />} />
        <Route path="conditions" element={<RarePage page="conditions" />} />
        <Route path="confidentialite" element={<RarePage page="privacy" />} />
        <Route path="signature/success" element={<SuccessPage />} />
        <Route element={<ProtectedRoute />}>
          <Route path="dashboard" element={<DashboardPage />} />
          <Route path="settings/*" element={<SettingsRoutes />} />
          <Route path="profile" element={<ProfilePage />} />
          <Route path="auth/:kind/essai" element={<RarePage page="providerTrial" />} />
          <Route path="signature">
            <Route index element={<RedirectKeepingQuery to="/signature/envelopes/sent" />} />
            <Route path="new" element={<RedirectKeepingQuery to="/signature/upload" />} />
            <Route path="upload" element={<PreparePage />} />
            <Route path="workflow/:id" element={<PreparePage />} />
            <Route path="templates/*" element={<TemplatesPage />} />
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

/** A chunk of its own, so that the login page does not wait for menus. */
const TopBar = lazyPart(async () => (await import("./top-bar.tsx")).TopBar, <TopBarPlace />);

/** Pages that save by themselves and retry once online. */
const SAVED_PAGES = /^\/signature\/(upload|workflow)(\/|$)/;

function AppLayout() {
  const session = useSession();
  const { pathname, search } = useLocation();
  const { logOut } = useLogOut();
  const user = session.state === "member" ? session.user : undefined;
  useRenewedPush(user);
  useLive(user?.id);
  return (
    <>
      <SkipLink />
      <OfflineBanner>
        {SAVED_PAGES.test(pathname)
          ? "Vos modifications seront enregistrées dès le retour de la connexion."
          : "Gardez cette page ouverte\u00a0: ce que vous avez saisi y reste."}
      </OfflineBanner>
      {user && !lacksFactor(user) && !hidesTopBar(pathname, search) && (
        <TopBar user={user} onLogOut={logOut} />
      )}
      <Suspense fallback={<FullLoader />}>
        <Outlet />
      </Suspense>
    </>
  );
}

/** Reserves the bar's height: the page below does not move. */
function TopBarPlace() {
  return <div className={styles["bar"]} aria-hidden="true" />;
}

/** Open pages follow what others do, once they are drawn. */
function useLive(userId: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    if (userId === undefined) return undefined;
    const following = loadPart(() => import("../features/live/follow-changes.ts"))
      .then(({ followChanges }) => followChanges(client, userId))
      .catch((error: unknown) => console.warn("open pages follow no changes", error));
    return () => void following.then((stop) => stop?.());
  }, [client, userId]);
}

/** Once for each session; the script loads after the page. */
function useRenewedPush(user: User | undefined): void {
  const id = user?.notifications.push ? user.id : undefined;
  useEffect(() => {
    if (id === undefined) return;
    import("../features/accounts/settings/use-push.ts")
      .then(({ renewPush }) => renewPush(id))
      .catch((error: unknown) =>
        console.warn("the subscription to notifications could not be renewed", error),
      );
  }, [id]);
}
