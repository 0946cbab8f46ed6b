package io.sluice.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cluster's file system through WebHDFS, which needs no Hadoop classes here and no client JVM.
 *
 * <p>Thread-safe. Failure: {@link UncheckedIOException} with the address and the server's answer.
 */
public final class WebHdfs {
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private final Rest rest;
  private final String nameNode;

  WebHdfs(Rest rest, String nameNode) {
    this.rest = rest;
    this.nameNode = nameNode;
  }

  /** The files of an output directory that hold records, and are no marks of a job, in order. */
  public List<String> partFiles(String directory) {
    return call(
        () -> {
          List<String> parts = new ArrayList<>();
          for (JsonNode file :
              rest.get(nameNode, path(directory, "LISTSTATUS")).at("/FileStatuses/FileStatus")) {
            String name = file.path("pathSuffix").asText();
            if (file.path("type").asText().equals("FILE") && !name.matches("[._].*")) {
              parts.add(directory + "/" + name);
            }
          }
          parts.sort(null);
          return parts;
        });
  }

  /** Opens a file; the caller closes the stream. */
  public InputStream open(String file) {
    return call(
        () -> {
          HttpResponse<InputStream> reply =
              rest.client()
                  .send(
                      request(uri(file, "OPEN")).GET().build(),
                      HttpResponse.BodyHandlers.ofInputStream());
          if (reply.statusCode() != 200) {
            reply.body().close();
            throw new IOException("opening " + file + ": status " + reply.statusCode());
          }
          return reply.body();
        });
  }

  /** Writes a local file to the file system, in blocks of a given size. */
  public void upload(Path local, String file, long blockLengthBytes) {
    call(
        () -> {
          URI create =
              uri(file, "CREATE&overwrite=true&noredirect=true&blocksize=" + blockLengthBytes);
          HttpResponse<String> place =
              send(request(create).PUT(HttpRequest.BodyPublishers.noBody()).build(), 200);
          String target = place.body().replaceFirst(".*\"Location\"\\s*:\\s*\"([^\"]*)\".*", "$1");
          return send(
              request(URI.create(target)).PUT(HttpRequest.BodyPublishers.ofFile(local)).build(),
              201);
        });
  }

  /** Removes a file or directory with all in it, if it is there. */
  public void delete(String path) {
    call(() -> send(request(uri(path, "DELETE&recursive=true")).DELETE().build(), 200));
  }

  private HttpResponse<String> send(HttpRequest request, int expected)
      throws IOException, InterruptedException {
    HttpResponse<String> reply = rest.client().send(request, HttpResponse.BodyHandlers.ofString());
    if (reply.statusCode() != expected) {
      throw new IOException(
          "%s %s answered %d, expected %d: %s"
              .formatted(
                  request.method(), request.uri(), reply.statusCode(), expected, reply.body()));
    }
    return reply;
  }

  private static HttpRequest.Builder request(URI uri) {
    return HttpRequest.newBuilder(uri).timeout(DEADLINE);
  }

  private URI uri(String file, String operation) {
    return URI.create("http://" + nameNode + path(file, operation));
  }

  private static String path(String file, String operation) {
    return "/webhdfs/v1%s?user.name=%s&op=%s"
        .formatted(file, System.getProperty("user.name"), operation);
  }

  private interface Call<T> {
    T run() throws IOException, InterruptedException;
  }

  private static <T> T call(Call<T> call) {
    try {
      return call.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while talking to the file system", e);
    }
  }
}
