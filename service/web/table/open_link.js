// Opens the game of a link like /g/<id>#code=<code>. The code comes after the #, which browsers do
// not send, so the address can be previewed without the secret.

const id = location.pathname.split("/").pop();
const code = new URLSearchParams(location.hash.slice(1)).get("code");
location.replace(`../#game=${id}${code ? `&code=${encodeURIComponent(code)}` : ""}`);
