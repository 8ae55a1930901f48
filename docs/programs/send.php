<?php
// Sends a PDF, waits for the webhook that says everybody has signed, and keeps the signed file with
// its evidence file. PARAPHE_URL, PARAPHE_KEY, PARAPHE_WEBHOOK_SECRET, PORT; php send.php Bail.pdf
declare(strict_types=1);

function call(string $method, string $path, ?array $body = null): string
{
    $headers = ['Authorization: Bearer ' . getenv('PARAPHE_KEY'), 'Content-Type: application/json'];
    if ($method === 'POST') {
        $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
    }
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true];
    if ($body !== null) {
        $http['content'] = json_encode((object) $body);
    }
    $answer = file_get_contents(getenv('PARAPHE_URL') . $path, false, stream_context_create(['http' => $http]));
    // A refusal's body has `code` and `detail`.
    if ($answer === false || !preg_match('/^HTTP\S+ 2/', $http_response_header[0])) {
        throw new RuntimeException("$method $path: " . ($answer === false ? 'no answer' : $answer));
    }
    return $answer;
}

// Standard Webhooks: HMAC-SHA-256 of id, time and body, five minutes at most.
function isKnown(array $headers, string $body): bool
{
    [$id, $at] = [$headers['webhook-id'] ?? '', $headers['webhook-timestamp'] ?? ''];
    $secret = base64_decode(substr(getenv('PARAPHE_WEBHOOK_SECRET'), strlen('whsec_')));
    $ours = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $secret, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($ours, $given) && abs(time() - (int) $at) < 300) {
            return true;
        }
    }
    return false;
}

// One request of the webhook; behind a web server this is file_get_contents('php://input').
function receive($server): ?array
{
    $connection = @stream_socket_accept($server, 3600);
    $headers = [];
    while (($line = trim((string) fgets($connection))) !== '') {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] = trim($value);
    }
    $body = (string) stream_get_contents($connection, (int) ($headers['content-length'] ?? 0));
    $known = isset($headers['webhook-id']) && isKnown($headers, $body);
    fwrite($connection, ($known ? 'HTTP/1.1 204 No Content' : 'HTTP/1.1 401 Unauthorized') . "\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    fclose($connection);
    return $known ? json_decode($body, true) : null;
}

$server = stream_socket_server('tcp://127.0.0.1:' . (getenv('PORT') ?: '8080'));
$envelope = json_decode(call('POST', '/api/signature/envelopes/', [
    'title' => getenv('TITLE') ?: 'Bail',
    'recipients' => [['full_name' => 'Paul Morel', 'email' => 'paul.morel@exemple.fr']],
    'files' => [['name' => 'Bail.pdf', 'content' => base64_encode(file_get_contents($argv[1]))]],
    'send' => true,
]), true);
$id = $envelope['id'];
$path = "/api/signature/envelopes/$id";
do {
    $event = receive($server);
} while ($event === null || $event['type'] !== 'envelope.completed' || $event['data']['id'] !== $id);

$link = json_decode(call('GET', "$path/download/"), true)['download_url'];
file_put_contents("$id.pdf", file_get_contents(getenv('PARAPHE_URL') . $link));
file_put_contents("$id-preuve.pdf", call('GET', "$path/evidence/"));
