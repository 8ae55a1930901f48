import type { Result as AnyResult } from "@paraphe/kernel/result";
import { waitInWords } from "./french-words.ts";

export { failure, success } from "@paraphe/kernel/result";

/**
 * Status and French sentence, whose `{name}` is that parameter. A code is never renamed nor reused.
 * Source: RFC 9457, contract §2.
 */
export const PROBLEMS = {
  validation: {
    status: 400,
    sentence:
      "Certaines informations sont manquantes ou incorrectes. Corrigez-les, puis réessayez.",
  },
  malformed_request: {
    status: 400,
    sentence: "La demande n’a pas pu être lue. Rechargez la page, puis réessayez.",
  },
  otp_invalid: { status: 400, sentence: "Code incorrect ou expiré. {hint}" },
  second_factor_wrong: {
    status: 400,
    sentence: "Code incorrect. Attendez le code suivant, puis réessayez.",
  },
  recovery_code_wrong: {
    status: 400,
    sentence: "Ce code de secours est incorrect ou a déjà servi. Vérifiez-le, puis réessayez.",
  },
  passkey_refused: {
    status: 400,
    sentence:
      "Cette clé d’accès n’a pas pu être vérifiée. Réessayez, ou connectez-vous avec votre mot de passe.",
  },
  provider_refused: {
    status: 400,
    sentence: "Le fournisseur {host} a répondu «\u00a0{answer}\u00a0». {advice}",
  },
  provider_token_refused: {
    status: 400,
    sentence:
      "La réponse de {host} n’a pas pu être vérifiée\u00a0: elle a été refusée. Réessayez, ou prévenez la personne qui administre ce service.",
  },
  provider_without_address: {
    status: 400,
    sentence:
      "Le fournisseur {host} n’a donné aucune adresse email vérifiée, et il en faut une ici. Prévenez la personne qui administre ce service.",
  },
  link_expired: {
    status: 400,
    sentence: "Impossible de changer le mot de passe. Le lien est peut-être expiré.",
  },
  address_link_expired: {
    status: 400,
    sentence: "Ce lien n’est plus valable. Demandez-en un autre depuis «\u00a0Mon compte\u00a0».",
  },
  consent_required: { status: 400, sentence: "Cochez la case de consentement avant de signer." },
  field_required: {
    status: 400,
    sentence: "Remplissez tous les champs obligatoires avant de signer.",
  },
  mention_differs: {
    status: 400,
    sentence: "La mention à recopier n’est pas exacte. Corrigez-la, puis réessayez.",
  },
  unsupported_character: {
    status: 400,
    sentence:
      "Le caractère « {character} » ne peut pas être imprimé dans le document. Remplacez-le, puis réessayez.",
  },
  invalid_image: {
    status: 400,
    sentence: "Cette image ne peut pas être lue. Choisissez un fichier PNG ou JPG.",
  },
  image_too_large: {
    status: 400,
    sentence: "Image trop grande : {megapixels} mégapixels au plus. Réduisez-la, puis réessayez.",
  },
  invalid_credentials: { status: 401, sentence: "Nom d'utilisateur ou mot de passe incorrect." },
  wrong_passwords: {
    status: 401,
    sentence:
      "Trop de mots de passe incorrects : cette session a été fermée. Veuillez vous reconnecter.",
  },
  session_expired: { status: 401, sentence: "Votre session a expiré. Veuillez vous reconnecter." },
  bearer_not_taken: {
    status: 401,
    sentence:
      "Ce jeton n’est pas une clé d’API de ce service. Envoyez l’en-tête «\u00a0Authorization: Bearer pk_live_…\u00a0».",
  },
  key_unknown: {
    status: 401,
    sentence:
      "Cette clé d’API est inconnue ou révoquée. Créez-en une autre dans Paramètres, page Programmes.",
  },
  key_expired: {
    status: 401,
    sentence:
      "Cette clé d’API a expiré. Créez-en une autre dans Paramètres, page Programmes, puis révoquez celle-ci.",
  },
  key_address: {
    status: 403,
    sentence:
      "Cette clé d’API n’est pas admise depuis l’adresse {ip}. Appelez depuis une adresse admise, ou modifiez la clé pour qu’elle admette celle-ci.",
  },
  key_scope: {
    status: 403,
    sentence:
      "Il manque à cette clé d’API le droit «\u00a0{scope}\u00a0». Modifiez la clé, ou créez-en une qui l’a.",
  },
  key_factor_required: {
    status: 403,
    sentence:
      "L’organisation du titulaire de cette clé d’API demande un second facteur, qu’il n’a pas. La clé servira de nouveau dès qu’il en aura ajouté un, dans Paramètres, Sécurité.",
  },
  key_not_for_programs: {
    status: 403,
    sentence:
      "Aucune clé d’API ne permet cet appel\u00a0: seule une personne connectée peut le faire, sur les pages du service.",
  },
  key_in_address: {
    status: 400,
    sentence:
      "Une clé d’API ne va jamais dans l’adresse, que des journaux gardent. Révoquez-la, puis envoyez la nouvelle dans l’en-tête Authorization.",
  },
  csrf_failed: {
    status: 403,
    sentence:
      "Cette page n’est plus à jour. Rechargez-la, puis réessayez. (Programmes : en-tête X-CSRFToken, donné par GET /api/verify-token/.)",
  },
  foreign_origin: {
    status: 403,
    sentence: "Cette demande vient d’un autre site : elle a été refusée.",
  },
  not_activated: {
    status: 403,
    sentence:
      "Votre compte n’est pas encore activé. Ouvrez le lien reçu par email, ou demandez-en un nouveau.",
  },
  second_factor_required: {
    status: 403,
    sentence: "Confirmez votre connexion avec votre second facteur.",
  },
  login_step_expired: {
    status: 403,
    sentence: "Cette connexion a attendu trop longtemps. Recommencez-la.",
  },
  provider_login_expired: {
    status: 403,
    sentence:
      "Cette connexion a déjà servi, a attendu trop longtemps ou vient d’un autre navigateur. Recommencez-la.",
  },
  provider_unlinked: {
    status: 403,
    sentence:
      "Aucun compte d’ici n’est relié à {email}. Si vous en avez un, connectez-vous une fois avec votre mot de passe ou votre clé d’accès\u00a0: il sera relié. Sinon, demandez une invitation.",
  },
  provider_required: {
    status: 403,
    sentence: "Votre organisation demande de se connecter avec «\u00a0{label}\u00a0».",
  },
  fresh_sign_in_required: {
    status: 403,
    sentence:
      "Reconnectez-vous d’abord\u00a0: votre connexion date de plus de dix minutes. Vous reviendrez ensuite ici.",
  },
  factor_required: {
    status: 403,
    sentence:
      "Votre organisation demande un second facteur. Ajoutez une clé d’accès ou une application d’authentification dans Paramètres, Sécurité.",
  },
  account_required: {
    status: 403,
    sentence:
      "Votre organisation demande un second facteur avant chaque signature\u00a0: ce lien ne suffit pas. Connectez-vous à votre compte pour signer.",
  },
  confirmation_required: {
    status: 403,
    sentence:
      "Votre organisation demande de confirmer chaque signature avec une clé d’accès ou un code. Signez de nouveau pour le faire.",
  },
  registration_closed: {
    status: 403,
    sentence:
      "Les inscriptions sont fermées sur ce service. Demandez une invitation à son administrateur.",
  },
  otp_required: {
    status: 403,
    sentence: "Confirmez d’abord votre identité avec le code à usage unique.",
  },
  address_unconfirmed: {
    status: 403,
    sentence:
      "Confirmez d’abord que cette adresse est la vôtre : demandez un code à usage unique, ou ouvrez le lien reçu par email en restant connecté.",
  },
  own_address_unconfirmed: {
    status: 403,
    sentence:
      "Confirmez d’abord votre adresse email\u00a0: demandez le lien dans «\u00a0Mon compte\u00a0», puis revenez.",
  },
  second_channel_required: {
    status: 403,
    sentence: "Ce lien ne s’ouvre qu’avec un code reçu par email : demandez-en un par email.",
  },
  not_allowed: {
    status: 403,
    sentence: "Cette action est réservée à l’expéditeur de l’enveloppe.",
  },
  administrators_only: {
    status: 403,
    sentence: "Cette page est réservée aux administrateurs du service. Adressez-vous à l’un d’eux.",
  },
  members_only: { status: 403, sentence: "Page réservée aux membres de l’organisation." },
  readers_only_read: {
    status: 403,
    sentence:
      "Votre rôle, «\u00a0Lecteur\u00a0», permet seulement de consulter. Demandez à un administrateur de le changer.",
  },
  owners_only: {
    status: 403,
    sentence: "Seule une personne propriétaire peut nommer, changer ou retirer un propriétaire.",
  },
  not_a_signer: {
    status: 403,
    sentence: "Vous ne faites pas partie des signataires de cette enveloppe.",
  },
  viewer_cannot_sign: {
    status: 403,
    sentence: "Vous recevez ce document en copie : il n’y a rien à signer.",
  },
  not_found: {
    status: 404,
    sentence: "Élément introuvable. L’adresse est incomplète, ou vous n’y avez pas accès.",
  },
  method_not_allowed: { status: 405, sentence: "Cette action n’existe pas à cette adresse." },
  invalid_state: {
    status: 409,
    sentence: "Action impossible : l’enveloppe est à l’état « {state} ».",
  },
  passkey_known: { status: 409, sentence: "Cette clé d’accès est déjà enregistrée ici." },
  too_many_keys: {
    status: 409,
    sentence: "Il y a déjà 50 clés d’API à ce nom. Révoquez-en une avant d’en créer une autre.",
  },
  too_many_webhooks: {
    status: 409,
    sentence: "Il y a déjà 20 webhooks à ce nom. Supprimez-en un d’abord.",
  },
  webhook_paused: { status: 409, sentence: "Ce webhook est en pause. Reprenez-le d’abord." },
  last_factor: {
    status: 409,
    sentence:
      "Votre organisation demande un second facteur. Ajoutez-en un autre avant de retirer celui-ci.",
  },
  too_many_passkeys: {
    status: 409,
    sentence: "Vous avez déjà 20 clés d’accès. Retirez-en une avant d’en ajouter une autre.",
  },
  factor_setup_expired: {
    status: 409,
    sentence: "Cet ajout a attendu trop longtemps. Recommencez-le.",
  },
  version_conflict: {
    status: 409,
    sentence:
      "Cette enveloppe a été modifiée ailleurs. Rechargez la page pour voir la dernière version.",
  },
  provider_untested: {
    status: 409,
    sentence:
      "Une connexion d’essai doit d’abord réussir avec ces réglages. Enregistrez-les, puis essayez la connexion.",
  },
  import_in_progress: {
    status: 409,
    sentence: "Un import de contacts est en cours. Attendez sa fin avant d’en commencer un autre.",
  },
  delegation_over: {
    status: 409,
    sentence: "Cette délégation vient de se terminer. {explanation}",
  },
  organisation_changed: {
    status: 409,
    sentence:
      "L’organisation a été modifiée ailleurs. Rechargez la page pour voir la dernière version.",
  },
  last_owner: {
    status: 409,
    sentence:
      "L’organisation n’a qu’une personne propriétaire. Nommez-en une autre avant de changer son rôle ou de la laisser partir.",
  },
  invitation_other_address: {
    status: 409,
    sentence:
      "Cette invitation est pour une autre adresse que celle de votre compte. Déconnectez-vous, puis rouvrez le lien.",
  },
  documents_changed: {
    status: 409,
    sentence: "Le document a changé depuis votre lecture. Relisez-le avant de signer.",
  },
  other_act_asked: {
    status: 403,
    sentence: "Ce document attend de vous {act}.",
  },
  embed_over: {
    status: 410,
    sentence: "Cette adresse de signature a déjà servi ou expiré. Rechargez la page qui l’affiche.",
  },
  step_reassigned: {
    status: 410,
    sentence: "Cette étape a été confiée à {name} à {time}. Rien n’a été signé.",
  },
  step_imposed: { status: 409, sentence: "Le circuit de l’organisation fixe cette étape." },
  visa_given: { status: 409, sentence: "Vous avez déjà donné votre visa." },
  already_signed: { status: 409, sentence: "Vous avez déjà signé ce document." },
  signature_in_progress: {
    status: 409,
    sentence: "Une signature est en cours de scellement. Patientez un instant, puis réessayez.",
  },
  recipient_answered: { status: 409, sentence: "Ce destinataire a déjà répondu." },
  recipient_not_awaited: {
    status: 409,
    sentence: "Ce destinataire n’a rien à signer pour le moment. Son message partira à son tour.",
  },
  not_your_turn: {
    status: 409,
    sentence: "Ce n’est pas encore votre tour. Vous pourrez répondre {when}.",
  },
  not_completed: { status: 409, sentence: "Cette enveloppe n’est pas encore terminée." },
  not_ready_to_send: {
    status: 409,
    sentence: "L’enveloppe ne peut pas encore être envoyée : {reason}",
  },
  idempotency_conflict: {
    status: 409,
    sentence: "La même clé d’envoi a déjà servi pour une autre demande.",
  },
  deadline_passed: { status: 409, sentence: "L’échéance de cette enveloppe est passée." },
  no_deadline: {
    status: 409,
    sentence: "Cette enveloppe n’a pas d’échéance : il n’y a rien à prolonger.",
  },
  deadline_ahead: {
    status: 409,
    sentence: "L’échéance n’est pas passée : vous pouvez encore répondre.",
  },
  too_many_templates: {
    status: 409,
    sentence: "Vous avez déjà {count} modèles, le maximum. Supprimez-en un, puis réessayez.",
  },
  too_many_layouts: {
    status: 409,
    sentence: "Vous avez déjà {count} dispositions, le maximum. Supprimez-en une, puis réessayez.",
  },
  batch_running: {
    status: 409,
    sentence: "Ce lot n’est pas terminé. L’archive sera disponible à la fin de la signature.",
  },
  nothing_to_retry: { status: 409, sentence: "Ce lot n’a aucun document à réessayer." },
  too_many_saved_signatures: {
    status: 409,
    sentence: "Vous avez déjà {count} signatures, le maximum. Supprimez-en une, puis réessayez.",
  },
  open_envelopes: {
    status: 409,
    sentence:
      "Des enveloppes que vous avez envoyées attendent encore des signatures. Annulez-les, ou demandez leur annulation en même temps que la suppression du compte.",
  },
  first_start_used: {
    status: 410,
    sentence:
      "Cette adresse a déjà servi. Connectez-vous, ou demandez une invitation à un administrateur.",
  },
  first_start_expired: {
    status: 410,
    sentence:
      "Cette adresse n’est plus valable. Pour en avoir une autre, lancez paraphe admin setup sur le serveur.",
  },
  invitation_used: {
    status: 410,
    sentence: "Cette invitation a déjà servi. Connectez-vous avec votre compte.",
  },
  invitation_withdrawn: {
    status: 410,
    sentence: "Cette invitation a été annulée. Adressez-vous à la personne qui vous a invité.",
  },
  invitation_expired: {
    status: 410,
    sentence:
      "Cette invitation n’est plus valable. Demandez-en une autre à la personne qui vous a invité.",
  },
  print_returned: { status: 410, sentence: "Ce code est d’une version renvoyée pour correction." },
  envelope_cancelled: { status: 410, sentence: "Cette demande a été annulée par l’expéditeur." },
  envelope_expired: {
    status: 410,
    sentence: "Le délai de signature est dépassé. Demandez une prolongation à l’expéditeur.",
  },
  envelope_declined: {
    status: 410,
    sentence: "Un destinataire a refusé sa signature ou son visa : cette demande est close.",
  },
  body_too_slow: {
    status: 408,
    sentence:
      "La demande arrive trop lentement ou s’est interrompue. Vérifiez votre connexion, puis réessayez.",
  },
  file_too_large: { status: 413, sentence: "Le fichier est trop volumineux (max 10MB)" },
  envelope_too_large: {
    status: 413,
    sentence: "L’enveloppe dépasse 50 Mo ou 20 documents. Retirez un fichier, puis réessayez.",
  },
  batch_too_large: {
    status: 413,
    sentence: "Le lot dépasse 500 fichiers ou 2 Go. Retirez des fichiers, puis réessayez.",
  },
  image_file_too_large: { status: 413, sentence: "L’image est trop lourde : 2 Mo au maximum." },
  request_too_large: { status: 413, sentence: "La demande est trop volumineuse." },
  not_a_pdf: { status: 415, sentence: "Seuls les fichiers PDF sont autorisés" },
  unsupported_media_type: { status: 415, sentence: "Ce format de demande n’est pas accepté." },
  pdf_encrypted: {
    status: 422,
    sentence:
      "Ce PDF est protégé par un mot de passe. Retirez la protection, puis déposez-le à nouveau.",
  },
  pdf_encrypted_for_recipients: {
    status: 422,
    sentence:
      "Ce PDF est chiffré pour des destinataires précis, qui seuls peuvent l’ouvrir. Demandez à l’un d’eux une copie non chiffrée.",
  },
  pdf_damaged: {
    status: 422,
    sentence:
      "Ce PDF est endommagé et ne peut pas être signé. Exportez-le à nouveau depuis le logiciel d’origine.",
  },
  pdf_signed_and_damaged: {
    status: 422,
    sentence:
      "Ce PDF porte déjà une signature, et sa structure est abîmée\u00a0: la réparer détruirait la signature. Demandez-en une copie intacte à qui l’a signé.",
  },
  pdf_signed_and_encrypted: {
    status: 422,
    sentence:
      "Ce PDF porte déjà une signature, et il est protégé contre la modification\u00a0: rien ne peut y être ajouté, et retirer la protection détruirait la signature. Demandez à son auteur un exemplaire sans protection.",
  },
  pdf_dynamic_xfa: {
    status: 422,
    sentence:
      "Ce PDF est un formulaire XFA dynamique, qui ne peut pas être signé. Imprimez-le en PDF, puis déposez-le à nouveau.",
  },
  pdf_signing_forbidden: {
    status: 422,
    sentence:
      "Ce PDF est certifié, et sa certification n’autorise aucune nouvelle signature. Demandez à son auteur un exemplaire sans certification.",
  },
  pdf_invalid_signatures: {
    status: 422,
    sentence:
      "Ce PDF porte déjà une signature qui n’est pas valide. Demandez un nouvel exemplaire à son auteur.",
  },
  pdf_unverifiable_signatures: {
    status: 422,
    sentence:
      "Ce PDF porte déjà une signature que nous ne pouvons pas vérifier\u00a0: rien ne nous dit que ce qu’il montre est encore ce qui a été signé. Cela ne veut pas dire qu’elle est fausse. Demandez à son auteur le fichier tel qu’il l’a signé, ou un exemplaire sans signature.",
  },
  pdf_undrawn_annotations: {
    status: 422,
    sentence:
      "Ce PDF porte des annotations que la copie à signer ne pourrait pas montrer\u00a0: {annotations}. Imprimez-le dans un nouveau PDF, relisez ce fichier, puis déposez-le.",
  },
  pdf_too_many_pages: {
    status: 422,
    sentence: "Ce PDF dépasse 2 000 pages. Découpez-le, puis réessayez.",
  },
  pdf_too_complex: {
    status: 422,
    sentence:
      "Ce PDF est trop complexe pour être traité sans risque. Imprimez-le en PDF, puis déposez-le à nouveau.",
  },
  pdf_dangerous_attachment: {
    status: 422,
    sentence:
      "Ce PDF contient un programme en pièce jointe. Retirez-le, puis déposez le PDF à nouveau.",
  },
  pdf_unfinishable: {
    status: 422,
    sentence:
      "Nous avons essayé de signer une copie de ce PDF, et elle n’aurait pas été valable\u00a0: sa structure ne permet pas d’y ajouter de signature. Imprimez-le en PDF puis déposez-le à nouveau, ou, s’il est déjà signé, demandez-en un exemplaire sans signature.",
  },
  pdf_of_this_envelope: {
    status: 422,
    sentence:
      "Ce PDF est une copie téléchargée de cette enveloppe\u00a0: il porte déjà ses champs, ou une signature que le renvoi a annulée. Déposez le fichier corrigé à partir de l’original, sans ces champs ni cette signature.",
  },
  copy_to_accept: {
    status: 422,
    sentence:
      "Ce PDF doit être corrigé avant d’être signé. Acceptez la copie corrigée, ou déposez un autre fichier.",
  },
  copy_differs: {
    status: 422,
    sentence:
      "La copie corrigée de ce PDF n’a pas le même aspect que l’original à la page {page}, ou n’a pas pu y être comparée. Comparez-les avant d’accepter la copie, ou déposez un autre fichier.",
  },
  page_covered: {
    status: 422,
    sentence:
      "Les champs couvriraient {share} de la page {page} de «\u00a0{name}\u00a0», et une signature apposée avant eux ne serait plus valable. Réduisez-les, ou placez-les sur d’autres pages.",
  },
  document_not_signed: {
    status: 422,
    sentence:
      "Ce document n’a pas pu être signé. Réessayez-le, ou exportez-le à nouveau depuis le logiciel d’origine.",
  },
  too_many_requests: { status: 429, sentence: "Trop de demandes. Réessayez dans {wait}." },
  too_many_messages: {
    status: 429,
    sentence: "Trop de messages sont déjà partis {whither} aujourd’hui. Réessayez dans {wait}.",
  },
  too_many_attempts: { status: 429, sentence: "Trop d’essais. Réessayez dans {delay}." },
  otp_cooldown: {
    status: 429,
    sentence: "Un code vient d’être envoyé. Patientez {seconds} s avant d’en demander un autre.",
  },
  otp_quota: { status: 429, sentence: "Trop de codes demandés. Réessayez dans une heure." },
  otp_daily_quota: {
    status: 429,
    sentence: "Trop de codes demandés aujourd’hui. Réessayez demain.",
  },
  otp_locked: {
    status: 429,
    sentence: "Trop de codes erronés : ce lien est suspendu. Demandez un rappel à l’expéditeur.",
  },
  address_code_locked: {
    status: 429,
    sentence:
      "Trop de codes erronés : ouvrez le lien reçu par email dans ce navigateur, en restant connecté.",
  },
  remind_cooldown: {
    status: 429,
    sentence: "Un rappel a déjà été envoyé il y a moins d’une heure.",
  },
  internal: {
    status: 500,
    sentence: "Une erreur inattendue est survenue. Rien n’a été perdu : réessayez dans un instant.",
  },
  stored_file_lost: {
    status: 500,
    sentence:
      "Le fichier conservé manque ou a été altéré : il n’est pas présenté. Prévenez l’organisation qui exploite ce service.",
  },
  timestamp_unavailable: {
    status: 503,
    sentence:
      "Le service d’horodatage ne répond pas. Votre signature est enregistrée et sera scellée dès son retour.",
  },
  hsm_unavailable: { status: 503, sentence: "Impossible de signer via HSM" },
  mail_off: {
    status: 503,
    sentence: "Ce service n’envoie pas d’email. Adressez-vous à la personne qui l’administre.",
  },
  provider_unavailable: {
    status: 503,
    sentence:
      "Le compte {provider} ne répond pas{cause}. Vos sessions ouvertes ailleurs le restent.",
  },
  service_unavailable: {
    status: 503,
    sentence:
      "Le service est momentanément indisponible. Rien n’a été perdu : réessayez dans un instant.",
  },
  storage_full: { status: 507, sentence: "Espace de stockage insuffisant" },
  storage_quota_reached: {
    status: 507,
    sentence:
      "Votre espace de stockage est plein\u00a0: vous utilisez {used} sur {quota}, et il faut {asked} de plus. Supprimez des brouillons, des modèles ou des enveloppes annulées, puis réessayez.",
  },
  signature_without_room: {
    status: 507,
    sentence:
      "L’espace de stockage du service est plein. Votre signature est enregistrée et sera scellée dès qu’il y aura de la place.",
  },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * Shape: `params` fills the sentence; `errors` maps fields to messages; `extensions`: members of
 * the body (RFC 9457 §3.2); `retryAfterS`: the `Retry-After` header.
 */
export type Problem = {
  readonly code: ProblemCode;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly retryAfterS?: number;
};

export type Result<T, E = Problem> = AnyResult<T, E>;

export function problem(code: ProblemCode, rest: Omit<Problem, "code"> = {}): Problem {
  return { code, ...rest };
}

export function problemSentence(value: Problem): string {
  return fillSentence(PROBLEMS[value.code].sentence, value);
}

export function fillSentence(sentence: string, value: Problem): string {
  const wait = value.retryAfterS === undefined ? "un instant" : waitInWords(value.retryAfterS);
  const params: Readonly<Record<string, string | number>> = { wait, ...value.params };
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? "")).trim();
}
