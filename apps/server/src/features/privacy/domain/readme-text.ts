export const README = `Vos données dans Paraphe
========================

Ce dossier contient ce que le service conserve à votre sujet (RGPD, articles 15 et 20).
N’y figurent pas les enveloppes que l’on vous a adressées et que leur expéditeur a annulées ou supprimées :
elles sont effacées sous dix jours, mais les messages qui vous en parlaient y sont.

profil.json                  votre profil
photo.webp                   votre photo, si vous en avez une
preferences.json             vos canaux de notification, et les navigateurs qui y sont abonnés
sessions.json                où vous êtes connecté
messages.json                les messages envoyés à votre compte, à votre adresse ou, pour une enveloppe, à votre
                             numéro : leur contenu est effacé dès l’envoi
lots.json                    vos signatures en masse des sept derniers jours : chaque fichier, et ce qu’il est devenu
enveloppes/envoyees/         les enveloppes que vous avez envoyées, ou qui sont en préparation
enveloppes/recues/           les enveloppes que l’on vous a adressées
  …/enveloppe.json           titre, destinataires, champs et leurs valeurs, empreinte (SHA-256) de chaque fichier
  …/journal.json             qui a fait quoi, et quand
  …/documents/               de celles que vous avez envoyées, les fichiers d’origine, et les fichiers signés (_signe.pdf) dès
                             qu’une personne a signé ; de celles que l’on vous a adressées, les fichiers signés, une fois
                             l’enveloppe terminée : absent tant qu’elle est ouverte
signatures/                  vos signatures enregistrées : de quoi chacune est faite, et son image
modeles/                     vos modèles, avec leurs fichiers
dispositions.json            les places de champs que vous avez gardées
preuves/                     les preuves des impressions que vous avez créées (preuve.json) : absent s’il n’y en a aucune
fichiers-indisponibles.json  présent seulement si un fichier n’a pas pu être lu

Les fichiers .json se lisent avec un éditeur de texte, ou avec tout logiciel qui traite des données.
Les fichiers signés se vérifient avec tout lecteur de PDF qui reconnaît les signatures électroniques.
`;
