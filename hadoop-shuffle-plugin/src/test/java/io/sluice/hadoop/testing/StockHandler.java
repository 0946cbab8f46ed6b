package io.sluice.hadoop.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluice.rdma.testing.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.security.SecureShuffleUtils;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleHeader;

/**
 * A ShuffleHandler in this process: stock's protocol on the wire, and whatever a test wants to go
 * wrong with it.
 */
public final class StockHandler implements Closeable {
  static {
    // Else each answer waits for the acknowledgement of its headers, 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** What was asked for, path and query. */
  public final List<String> requests = new CopyOnWriteArrayList<>();

  /** Answers one request. */
  @FunctionalInterface
  public interface Script {
    void answer(HttpExchange exchange) throws IOException;
  }

  public StockHandler(Script script) throws IOException {
    this(script, 0);
  }

  /** At a port of the test's choice. */
  public StockHandler(Script script, int port) throws IOException {
    this(script, HttpServer.create(), port);
  }

  /** Over TLS, as {@code mapreduce.shuffle.ssl.enabled} has it. */
  public StockHandler(Script script, TestCertificate certificate)
      throws IOException, GeneralSecurityException {
    this(script, overTls(certificate), 0);
  }

  private StockHandler(Script script, HttpServer server, int port) throws IOException {
    this.server = server;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext(
        "/mapOutput",
        exchange -> {
          requests.add(exchange.getRequestURI().toString());
          try (exchange) {
            script.answer(exchange);
          }
        });
    server.start();
  }

  private static HttpServer overTls(TestCertificate certificate)
      throws IOException, GeneralSecurityException {
    HttpsServer server = HttpsServer.create();
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    return server;
  }

  /** As completion events have it. */
  public String url() {
    return (server instanceof HttpsServer ? "https://" : "http://")
        + server.getAddress().getHostString()
        + ":"
        + server.getAddress().getPort();
  }

  /** A reply with the right headers and this body, of which only the first bytes are sent. */
  public static void reply(HttpExchange exchange, byte[] body, int sentBytes) throws IOException {
    String hash = requestHash(exchange);
    exchange
        .getResponseHeaders()
        .set(
            SecureShuffleUtils.HTTP_HEADER_REPLY_URL_HASH,
            SecureShuffleUtils.generateHash(hash.getBytes("UTF-8"), TestJob.SECRET));
    version(exchange);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body, 0, sentBytes);
    if (sentBytes == body.length) {
      exchange.getResponseBody().close();
    }
  }

  /** The headers that every reply of stock has. */
  public static void version(HttpExchange exchange) {
    exchange
        .getResponseHeaders()
        .set(ShuffleHeader.HTTP_HEADER_NAME, ShuffleHeader.DEFAULT_HTTP_HEADER_NAME);
    exchange
        .getResponseHeaders()
        .set(ShuffleHeader.HTTP_HEADER_VERSION, ShuffleHeader.DEFAULT_HTTP_HEADER_VERSION);
  }

  /** Stock's way to refuse, with its reason as text. */
  public static void refuse(HttpExchange exchange, int status, String reason) throws IOException {
    version(exchange);
    byte[] text = reason.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, text.length == 0 ? -1 : text.length);
    if (text.length > 0) {
      exchange.getResponseBody().write(text);
    }
  }

  /** What it says of an output that it does not have. */
  public static String noOutput(String map) {
    return "Could not find usercache/u/appcache/"
        + TestJob.APPLICATION
        + "/output/"
        + map
        + "/file.out in any of the directories";
  }

  private static String requestHash(HttpExchange exchange) throws IOException {
    String hash = exchange.getRequestHeaders().getFirst(SecureShuffleUtils.HTTP_HEADER_URL_HASH);
    URI uri = exchange.getRequestURI();
    String message = exchange.getLocalAddress().getPort() + uri.getPath() + "?" + uri.getQuery();
    SecureShuffleUtils.verifyReply(hash, message, TestJob.SECRET);
    return hash;
  }

  /** One map output on the wire: header, stored bytes, checksum. */
  public static byte[] output(TaskAttemptID map, int reduce, byte[] stored) throws IOException {
    CRC32 crc = new CRC32();
    crc.update(stored);
    return output(map.toString(), stored.length + 4, stored.length, reduce, stored, crc);
  }

  public static byte[] output(
      String mapId, long partLength, long rawLength, int reduce, byte[] stored, CRC32 crc)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    Text.writeString(out, mapId);
    WritableUtils.writeVLong(out, partLength);
    WritableUtils.writeVLong(out, rawLength);
    WritableUtils.writeVInt(out, reduce);
    out.write(stored);
    out.writeInt((int) crc.getValue());
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
