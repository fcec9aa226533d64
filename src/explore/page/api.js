// Questions to the server. Errors are `Problem`s with the server's own words.

export class Problem extends Error {
  constructor(text, status = 0, parameter = null) {
    super(text);
    this.status = status;
    this.parameter = parameter;
  }
}

function address(path, parameters) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") query.set(key, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

async function open(path, parameters, signal) {
  let response;
  try {
    response = await fetch(address(path, parameters), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server does not answer: is oju explore still running?");
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new Problem(said.error ?? `The server answers ${response.status}`, response.status, said.parameter);
}

export async function ask(path, parameters = {}, signal = undefined) {
  return (await open(path, parameters, signal)).json();
}

/** Analyses a position; calls `narrowed` with what is proven meanwhile. */
export async function analyse(parameters, narrowed, signal) {
  const response = await open("/api/analyse/stream", parameters, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      if (error.name === "AbortError") throw error;
      return { done: true };
    });
    if (done) throw new Problem("The server went away in the middle of an answer");
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) {
      const field = (key) => event.split("\n").find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
      const data = field("data");
      if (!data) continue;
      const said = JSON.parse(data);
      if (field("event") === "analysis") return said;
      if (field("event") === "problem") throw new Problem(said.error, 503);
      narrowed(said);
    }
  }
}
