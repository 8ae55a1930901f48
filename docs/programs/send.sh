#!/bin/sh
# Sends a PDF, waits until everybody has signed, and keeps the signed file with its evidence file.
# PARAPHE_URL, PARAPHE_KEY; sh send.sh Bail.pdf (curl 7.76 or later)
set -eu
# A refusal's `code` and `detail` are shown, and end the script.
call() { answer=$(curl -sS --fail-with-body -H "Authorization: Bearer $PARAPHE_KEY" "$@") || { echo "$answer" >&2; exit 1; }; }
member() { echo "$answer" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
envelopes="$PARAPHE_URL/api/signature/envelopes"

# The same key at each try: a repeated call creates nothing twice.
attempt=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
call "$envelopes/" -H "Idempotency-Key: $attempt" -F title="${TITLE:-Bail}" -F "files=@$1" -F send=true \
  -F 'recipients=[{"full_name":"Paul Morel","email":"paul.morel@exemple.fr"}]'
id=$(member id)

# A shell has no server for a webhook: it asks.
status=sent
while [ "$status" = sent ] || [ "$status" = pending ]; do
  sleep "${EVERY:-10}"
  call "$envelopes/$id/"
  status=$(member status)
done
[ "$status" = completed ] || { echo "$id: $status" >&2; exit 1; }

call "$envelopes/$id/download/"
curl -sS --fail-with-body "$PARAPHE_URL$(member download_url)" -o "$id.pdf"
call "$envelopes/$id/evidence/" -o "$id-preuve.pdf"
echo "$id"
