import type {
  MadePurpose,
  RevocationFault,
  RootKeyFault,
} from "../../../server/src/features/trust/public.ts";
import type { MasterKeyFault } from "../../../server/src/platform/secrets/data-key.ts";

/** In the operator's words. */
export const PURPOSES: Readonly<Record<MadePurpose, string>> = {
  root: "racine",
  ca: "autorité de signature",
  tsa: "horodatage",
  ocsp: "répondeur OCSP",
  seal: "cachet du service",
};

/** Reasons of a refusal, with the remedy. */
export const FAULTS: Readonly<
  Record<RevocationFault | RootKeyFault | MasterKeyFault | "no_passphrase", string>
> = {
  root_key_away:
    "La clé de la racine n’est pas dans la base\u00a0: rapportez-la d’abord (import-root, avec le fichier de cette racine).",
  root_key_present: "La clé de la racine est déjà dans la base.",
  bad_passphrase:
    "Le fichier ne s’ouvre pas\u00a0: ROOT_KEY_PASSPHRASE est fausse, ou le fichier est abîmé. Rien n’a été changé.",
  other_key: "Ce fichier ne contient la clé d’aucune racine de ce service. Rien n’a été changé.",
  no_passphrase: "Donnez la phrase de passe dans ROOT_KEY_PASSPHRASE (12 caractères au moins).",
  no_new_master_key:
    "Donnez la nouvelle clé dans NEW_MASTER_KEY (32 octets en base64), puisque MASTER_KEY est donnée. Rien n’a été changé.",
  same_master_key: "NEW_MASTER_KEY est la clé actuelle. Rien n’a été changé.",
  unknown_serial: "Aucun certificat émis ici ne porte ce numéro de série.",
  own_root:
    "Ce numéro est celui d’une racine, que personne ne peut révoquer. Remplacez-la (rotate root), puis retirez l’ancienne des postes qui lui font confiance.",
  living_authority: "Cette autorité est en service\u00a0: remplacez-la d’abord (rotate).",
  already_revoked: "Ce certificat est déjà révoqué.",
};

export const USAGE: readonly string[] = [
  "Usage\u00a0: paraphe keys <commande>",
  "  list                        montre chaque clé, en service ou retirée",
  "  rotate <root|ca|tsa|ocsp|seal>   remplace une clé, et celles qu’elle a certifiées",
  "  revoke <numéro de série> <raison>   révoque un certificat\u202f; raisons\u00a0: inconnue, compromission, changement, remplacement, cessation",
  "  export-root <fichier>       écrit la clé de la racine, chiffrée par ROOT_KEY_PASSPHRASE",
  "  remove-root <fichier>       retire la clé de la racine de la base, une fois ce fichier vérifié",
  "  import-root <fichier>       la rapporte",
  "  rotate-master               remplace la clé maîtresse (par NEW_MASTER_KEY quand MASTER_KEY est donnée)",
  "  trust-tsa                   retient la prochaine autorité d’horodatage rencontrée à TSA_URL",
];
