package io.sluice.it.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of Kubernetes' interface that Spark's driver uses if it polls: objects by kind and name,
 * which are made, listed, changed and deleted. There is one namespace.
 *
 * <p>Thread contract: safe from any thread; the consumers are called by the server's one thread.
 * Its starter closes it.
 */
final class PodApi implements AutoCloseable {
  static final String PODS = "pods";

  private static final Pattern PATH =
      Pattern.compile("/api/v1/(?:namespaces/[^/]+/)?([a-z]+)(?:/([^/]+))?");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Map<String, ObjectNode>> objects = new LinkedHashMap<>(); // by kind
  private final Consumer<ObjectNode> podMade;
  private final Consumer<String> podDeleted;
  private final HttpServer server;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();

  /**
   * Starts it at a free port of the loopback interface.
   *
   * @param podMade gets each new pod
   * @param podDeleted gets the name of each deleted pod
   */
  PodApi(Consumer<ObjectNode> podMade, Consumer<String> podDeleted) throws IOException {
    this.podMade = podMade;
    this.podDeleted = podDeleted;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(thread);
    server.createContext("/", this::handle);
    server.start();
  }

  /** As Spark's driver is told. */
  String master() {
    return "k8s://http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Makes an object that nobody asked for. */
  synchronized ObjectNode put(String kind, String name) {
    ObjectNode made = JSON.createObjectNode();
    made.putObject("metadata").put("name", name);
    return add(kind, made);
  }

  /** Says what a pod is doing; nothing if it was deleted. */
  synchronized void setPhase(String pod, String phase, String address) {
    ObjectNode object = of(PODS).get(pod);
    if (object != null) {
      object
          .putObject("status")
          .put("phase", phase)
          .put("podIP", address)
          .putArray("conditions")
          .addObject()
          .put("type", "Ready")
          .put("status", "True");
    }
  }

  /** Says how the container of a pod ended; nothing if it was deleted. */
  synchronized void setEnded(String pod, String address, int exitCode) {
    setPhase(pod, exitCode == 0 ? "Succeeded" : "Failed", address);
    ObjectNode object = of(PODS).get(pod);
    if (object != null) {
      ((ObjectNode) object.get("status"))
          .putArray("containerStatuses")
          .addObject()
          .put("name", object.at("/spec/containers/0/name").asText())
          .putObject("state")
          .putObject("terminated")
          .put("exitCode", exitCode);
    }
  }

  private Map<String, ObjectNode> of(String kind) {
    return objects.computeIfAbsent(kind, key -> new LinkedHashMap<>());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] sent = exchange.getRequestBody().readAllBytes();
      Answer answer;
      try {
        answer = answer(exchange.getRequestMethod(), exchange.getRequestURI(), sent);
      } catch (RuntimeException e) {
        answer = Answer.failure(500, e.toString());
      }
      byte[] text = JSON.writeValueAsBytes(answer.body());
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private Answer answer(String method, URI uri, byte[] sent) throws IOException {
    Matcher path = PATH.matcher(uri.getPath());
    if (!path.matches()) {
      return Answer.failure(404, uri + " is not known");
    }
    String kind = path.group(1);
    String name = path.group(2);
    return switch (method) {
      case "POST" -> new Answer(201, create(kind, (ObjectNode) JSON.readTree(sent)));
      case "GET" -> name == null ? new Answer(200, list(kind, uri)) : get(kind, name);
      case "PATCH", "PUT" -> patch(kind, name, sent);
      case "DELETE" -> delete(kind, name, uri);
      default -> Answer.failure(405, method + " is not known");
    };
  }

  private ObjectNode create(String kind, ObjectNode object) {
    ObjectNode made;
    synchronized (this) {
      made = add(kind, object).deepCopy();
    }
    if (kind.equals(PODS)) {
      podMade.accept(made);
    }
    return made;
  }

  private ObjectNode add(String kind, ObjectNode object) {
    ObjectNode metadata = (ObjectNode) object.get("metadata");
    metadata
        .put("uid", UUID.randomUUID().toString())
        .put("creationTimestamp", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    of(kind).put(metadata.get("name").asText(), object);
    if (kind.equals(PODS)) {
      setPhase(metadata.get("name").asText(), "Pending", "");
    }
    return object;
  }

  private synchronized JsonNode list(String kind, URI uri) {
    ObjectNode list = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "List");
    list.putObject("metadata").put("resourceVersion", "1");
    list.putArray("items").addAll(selected(kind, uri).stream().map(ObjectNode::deepCopy).toList());
    return list;
  }

  private synchronized Answer get(String kind, String name) {
    ObjectNode object = of(kind).get(name);
    return object == null
        ? Answer.failure(404, kind + "/" + name + " is not there")
        : new Answer(200, object.deepCopy());
  }

  private synchronized Answer patch(String kind, String name, byte[] sent) throws IOException {
    ObjectNode object = of(kind).get(name);
    if (object == null) {
      return Answer.failure(404, kind + "/" + name + " is not there");
    }
    merge(object, (ObjectNode) JSON.readTree(sent));
    return new Answer(200, object.deepCopy());
  }

  private static void merge(ObjectNode object, ObjectNode more) {
    more.properties()
        .forEach(
            field -> {
              if (object.get(field.getKey()) instanceof ObjectNode inner
                  && field.getValue() instanceof ObjectNode value) {
                merge(inner, value);
              } else {
                object.set(field.getKey(), field.getValue());
              }
            });
  }

  private Answer delete(String kind, String name, URI uri) {
    List<String> names;
    synchronized (this) {
      names =
          name != null
              ? List.of(name)
              : selected(kind, uri).stream()
                  .map(object -> object.at("/metadata/name").asText())
                  .toList();
      of(kind).keySet().removeAll(names);
    }
    if (kind.equals(PODS)) {
      names.forEach(podDeleted);
    }
    return new Answer(200, JSON.createObjectNode().put("kind", "Status").put("status", "Success"));
  }

  private List<ObjectNode> selected(String kind, URI uri) {
    String query = uri.getQuery() == null ? "" : uri.getQuery(); // is decoded
    String labels = parameter(query, "labelSelector");
    String fields = parameter(query, "fieldSelector");
    return of(kind).values().stream()
        .filter(
            object ->
                PodSelector.matches(labels, label -> object.at("/metadata/labels").path(label)))
        .filter(
            object ->
                PodSelector.matches(fields, field -> object.at("/" + field.replace('.', '/'))))
        .toList();
  }

  private static String parameter(String query, String name) {
    return Arrays.stream(query.split("&"))
        .filter(part -> part.startsWith(name + "="))
        .map(part -> part.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }

  private record Answer(int status, JsonNode body) {
    static Answer failure(int status, String message) {
      return new Answer(
          status,
          JSON.createObjectNode()
              .put("kind", "Status")
              .put("status", "Failure")
              .put("code", status)
              .put("message", message));
    }
  }
}
