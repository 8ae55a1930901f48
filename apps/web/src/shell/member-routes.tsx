import { Navigate, Route, Routes, useLocation, Link, Outlet } from "react-router";
import { RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { Suspense, useState } from "react";
import { ProtectedRoute, VisitorRoute } from "../features/accounts/protected-route.tsx";
import { loadPart } from "../lib/api/load-part.ts";
import { AppLayout } from "./app-layout.tsx";
import { lazyPage, NotFoundPage } from "./lazy-page.tsx";
import { useLogOut } from "../features/accounts/use-session.ts";
import { useCounts } from "../features/envelopes/use-counts.ts";
import { useMediaQuery } from "../lib/browser/use-media-query.ts";
import { classNames } from "../lib/class-names.ts";
import { Brand } from "../ui/brand/brand.tsx";
import { Drawer } from "../ui/drawer/drawer.tsx";
import { useBottomDock } from "../ui/editor-frame/editor-frame.tsx";
import { Icon, type IconName } from "../ui/icon/icon.tsx";
import { FullLoader } from "../ui/skeleton/skeleton.tsx";
import { MenuLinks, isCurrent } from "./menu-links.tsx";
import styles from "./envelope-area.module.css";

const LoginPage = lazyPage(() => import("../features/accounts/login-page.tsx"), "LoginPage");
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

const ENVIRONMENT_LINKS: readonly {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { to: "/signature/envelopes/sent", label: "Envoyé", icon: "send" },
  { to: "/signature/envelopes/completed", label: "Complété(s)", icon: "check-circle" },
  { to: "/signature/envelopes/action-required", label: "Action requise", icon: "pen" },
  { to: "/signature/envelopes/drafts", label: "Brouillons", icon: "edit" },
  { to: "/signature/envelopes/deleted", label: "Supprimé", icon: "trash" },
];

const ACTION_REQUIRED_PATH = "/signature/envelopes/action-required";

type Props = {
  readonly actionCount: number;
  readonly bottom?: boolean;
  readonly onFollow?: () => void;
};

function EnvironmentList({ actionCount, bottom = false, onFollow }: Props) {
  const { pathname } = useLocation();
  return (
    <ul className={classNames(!bottom && styles["list"])}>
      {ENVIRONMENT_LINKS.map((link) => (
        <li key={link.to}>
          <Link
            to={link.to}
            aria-current={isCurrent(pathname, link.to) ? "page" : undefined}
            onClick={onFollow}
          >
            <Icon name={link.icon} size={bottom ? "lg" : "md"} />
            <span>{link.label}</span>
            {link.to === ACTION_REQUIRED_PATH && (
              <Count
                value={actionCount}
                red
                className={bottom ? styles["bottomCount"] : styles["count"]}
              />
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

type EnvelopeAreaContext = { readonly openEnvironment: () => void };

/** Below 1024 px: a bottom bar and a drawer. */
function EnvelopeArea() {
  const small = useMediaQuery(`(max-width: ${RAIL_BREAKPOINT_PX - 0.02}px)`);
  const dock = useBottomDock();
  const [open, setOpen] = useState(false);
  const { logOut } = useLogOut();
  const actionCount = useCounts().data?.action_required ?? 0;
  const context: EnvelopeAreaContext = { openEnvironment: () => setOpen(true) };
  return (
    <div className={styles["shell"]}>
      {!small && (
        <aside className={styles["rail"]}>
          <nav aria-label="Environnement">
            <div className={styles["title"]} aria-hidden="true">
              Environnement
            </div>
            <EnvironmentList actionCount={actionCount} />
          </nav>
        </aside>
      )}
      <div className={styles["content"]}>
        <Suspense fallback={<FullLoader />}>
          <Outlet context={context} />
        </Suspense>
      </div>
      {small && (
        <nav className={styles["bottom"]} ref={dock} aria-label="Environnement">
          <EnvironmentList actionCount={actionCount} bottom />
        </nav>
      )}
      {small && open && (
        <Drawer
          label="Environnement"
          side="left"
          closeLabel="Fermer"
          heading={<Brand to="/" />}
          onClose={() => setOpen(false)}
        >
          <nav className={styles["drawer"]} aria-label="Environnement">
            <div className={styles["title"]} aria-hidden="true">
              Environnement
            </div>
            <EnvironmentList actionCount={actionCount} onFollow={() => setOpen(false)} />
          </nav>
          <nav className={styles["elsewhere"]} aria-label="Menu">
            <MenuLinks onLogOut={logOut} onFollow={() => setOpen(false)} />
          </nav>
        </Drawer>
      )}
    </div>
  );
}

type CountProps = {
  readonly value: number;
  readonly red?: boolean;
  readonly className?: string | undefined;
};

function Count({ value, red = false, className }: CountProps) {
  if (value <= 0) return null;
  return (
    <span className={classNames(styles["counted"], red && styles["red"], className)}>
      <span aria-hidden="true">{value > 99 ? "99+" : value}</span>
      <span className="sr">{`${value} en attente`}</span>
    </span>
  );
}
