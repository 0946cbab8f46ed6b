package io.sluice.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;

/**
 * Asks the daemons' own web services. Thread-safe.
 *
 * <p>Failure: {@link IOException} with the address, the status and the body.
 */
public final class Rest {
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  private final ObjectMapper mapper = new ObjectMapper();
  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(DEADLINE)
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  /** Gets a JSON document. */
  public JsonNode get(String address, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://" + address + path);
    HttpResponse<String> reply =
        client.send(
            HttpRequest.newBuilder(uri)
                .timeout(DEADLINE)
                .header("Accept", "application/json")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    if (reply.statusCode() != 200) {
      throw new IOException(
          "%s answered %d, expected 200: %s".formatted(uri, reply.statusCode(), reply.body()));
    }
    return mapper.readTree(reply.body());
  }

  /** The elements of a list; some releases write a list of one as that element itself. */
  public static Iterable<JsonNode> list(JsonNode list) {
    return list.isObject() ? List.of(list) : list;
  }

  HttpClient client() {
    return client;
  }
}
