import { Route, Routes } from "react-router";
import { lazyPage, NotFoundPage } from "./lazy-page.tsx";

const SecurityPage = lazyPage(
  () => import("../features/accounts/settings/security-page.tsx"),
  "SecurityPage",
);
const NotificationsPage = lazyPage(
  () => import("../features/accounts/settings/notifications-page.tsx"),
  "NotificationsPage",
);
const ContactsPage = lazyPage(
  () => import("../features/envelopes/contacts/contacts-page.tsx"),
  "ContactsPage",
);
const KeysPage = lazyPage(() => import("../features/accounts/keys/keys-page.tsx"), "KeysPage");
const WebhooksPage = lazyPage(
  () => import("../features/accounts/keys/webhooks-page.tsx"),
  "WebhooksPage",
);
const OrganisationPage = lazyPage(
  () => import("../features/organisations/organisation-page.tsx"),
  "OrganisationPage",
);
const MembersPage = lazyPage(
  () => import("../features/organisations/members/members-page.tsx"),
  "MembersPage",
);
const DelegationsPage = lazyPage(
  () => import("../features/organisations/delegations-page.tsx"),
  "DelegationsPage",
);
const CircuitsPage = lazyPage(
  () => import("../features/organisations/circuits-page.tsx"),
  "CircuitsPage",
);
const SignaturePage = lazyPage(
  () => import("../features/accounts/settings/signature-page.tsx"),
  "SignaturePage",
);
const SettingsPage = lazyPage(
  () => import("../features/accounts/settings/settings-page.tsx"),
  "SettingsPage",
);

/** Below `/settings`; kept apart, because every page's first load has the other routes. */
export function SettingsRoutes() {
  return (
    <Routes>
      <Route index element={<SettingsPage />} />
      <Route path="signature" element={<SignaturePage />} />
      <Route path="security" element={<SecurityPage />} />
      <Route path="notifications" element={<NotificationsPage />} />
      <Route path="contacts" element={<ContactsPage />} />
      <Route path="programmes" element={<KeysPage />} />
      <Route path="programmes/webhooks" element={<WebhooksPage />} />
      <Route path="programmes/webhooks/:webhook" element={<WebhooksPage />} />
      <Route path="delegations" element={<DelegationsPage />} />
      <Route path="organisation" element={<OrganisationPage />} />
      <Route path="organisation/couleurs" element={<OrganisationPage />} />
      <Route path="organisation/inscription" element={<OrganisationPage />} />
      <Route path="membres" element={<MembersPage />} />
      <Route path="membres/invitations" element={<MembersPage />} />
      <Route path="membres/equipes" element={<MembersPage />} />
      <Route path="membres/journal" element={<MembersPage />} />
      <Route path="circuits" element={<CircuitsPage />} />
      <Route path="circuits/:circuit" element={<CircuitsPage />} />
      <Route path="organisation/connexion" element={<OrganisationPage />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}
