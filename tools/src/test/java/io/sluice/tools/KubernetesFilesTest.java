package io.sluice.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The files for Kubernetes name what the code knows, and go with each other. */
class KubernetesFilesTest {
  private static final Path ROOT = Path.of("..");
  private static final Path MANIFEST = ROOT.resolve("dist/kubernetes/sluice-node.yaml");
  private static final Path EXECUTOR = ROOT.resolve("dist/kubernetes/executor.yaml");
  private static final Path SPARK = ROOT.resolve("dist/kubernetes/spark.conf");
  private static final Path CHART = ROOT.resolve("dist/helm/sluice");

  private static final Pattern SETTING =
      Pattern.compile("(?<![\\w./-])(?:spark\\.)?sluice\\.[\\w.-]*\\w");
  private static final Pattern IN_TABLE = Pattern.compile("(?m)^\\| `([\\w.-]+)` \\|");
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]+");
  private static final Pattern VALUE = Pattern.compile("\\.Values((?:\\.\\w+)+)");
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>sluice</artifactId>\\s*<version>(.*?)(?:-SNAPSHOT)?</version>");

  /** Values that are handed on as they are, whatever is in them. */
  private static final Set<String> WHOLE = Set.of(".networkPolicy.readers", ".resources");

  @TempDir private Path directory;

  private static List<JsonNode> documents(String yaml) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    List<JsonNode> documents = new ArrayList<>();
    for (Object each : new Yaml(new SafeConstructor(options)).loadAll(yaml)) {
      documents.add(new ObjectMapper().valueToTree(each));
    }
    return documents;
  }

  private static JsonNode document(Path file) throws IOException {
    List<JsonNode> documents = documents(Files.readString(file));
    assertEquals(1, documents.size(), file.toString());
    return documents.get(0);
  }

  /** The manifest's second document; the first is the namespace. */
  private static JsonNode daemonSet() throws IOException {
    List<JsonNode> documents = documents(Files.readString(MANIFEST));
    assertEquals(
        List.of("Namespace", "DaemonSet"),
        documents.stream().map(each -> each.get("kind").asText()).toList());
    return documents.get(1);
  }

  private static JsonNode pod() throws IOException {
    return daemonSet().at("/spec/template/spec");
  }

  private static JsonNode container() throws IOException {
    return pod().at("/containers/0");
  }

  /** All that people copy or render, by lines. */
  private static String everything() throws IOException {
    try (Stream<Path> files =
        Stream.concat(Files.walk(ROOT.resolve("dist/kubernetes")), Files.walk(CHART))) {
      StringBuilder all = new StringBuilder();
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(Files.readString(file)).append('\n');
      }
      return all.toString();
    }
  }

  private static Set<String> found(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(match -> match.group(match.groupCount())) // its last group, or all of it
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void eachSettingExists() throws IOException {
    Set<String> known = new TreeSet<>();
    for (String page : List.of("settings.md", "spark-settings.md")) {
      known.addAll(found(IN_TABLE, Files.readString(ROOT.resolve("docs").resolve(page))));
    }
    Set<String> named = found(SETTING, everything());
    assertTrue(named.contains("spark.sluice.service"), named::toString);
    named.removeAll(known);
    assertEquals(Set.of(), named);
  }

  /** As the kubelet passes them, on a node of that address. */
  private static CommandLine nodeService() throws IOException {
    List<String> arguments = new ArrayList<>();
    container().get("args").forEach(each -> arguments.add(each.asText()));
    assertEquals(NodeServiceCommand.NAME, arguments.remove(0));
    arguments.replaceAll(each -> each.replace("$(HOST_IP)", "10.0.0.1"));
    CommandLine command = new CommandLine(new NodeServiceCommand());
    command.parseArgs(arguments.toArray(String[]::new));
    return command;
  }

  private static String option(String name) throws IOException {
    return nodeService().getCommandSpec().findOption(name).getValue().toString();
  }

  @Test
  void eachOptionIsOneOfTheService() throws IOException {
    Set<String> known = new TreeSet<>();
    for (OptionSpec each : nodeService().getCommandSpec().options()) {
      known.addAll(List.of(each.names()));
    }
    Set<String> named = found(OPTION, everything());
    assertTrue(named.contains("--overflow-dirs"), named::toString);
    named.removeAll(known);
    named.remove("--properties-file"); // of spark-submit
    assertEquals(Set.of(), named);
  }

  @Test
  void theServiceListensAtThePortsThatTheNodeOpens() throws IOException {
    int port = Integer.parseInt(option("--port"));
    List<Integer> ports = new ArrayList<>();
    for (JsonNode each : container().get("ports")) {
      assertEquals(each.get("hostPort").asInt(), each.get("containerPort").asInt());
      ports.add(each.get("hostPort").asInt());
    }
    assertEquals(
        List.of(port, port + 1, port + 2, Integer.parseInt(option("--metrics-port"))), ports);
    assertEquals("10.0.0.1", option("--host"));
    assertEquals("status.hostIP", container().at("/env/0/valueFrom/fieldRef/fieldPath").asText());
    assertTrue(InetAddress.getByName(option("--bind").replaceFirst(".*/", "")).isAnyLocalAddress());
  }

  @Test
  void probesAskForHealthAndWaitForTheAnswer() throws IOException {
    for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
      JsonNode asks = container().get(probe);
      assertEquals(MetricsEndpoint.HEALTH, asks.at("/httpGet/path").asText(), probe);
      assertEquals("metrics", asks.at("/httpGet/port").asText(), probe);
      assertTrue(
          asks.get("timeoutSeconds").asInt() * 1_000 > NodeServiceCommand.HEALTH_DEADLINE_MS,
          probe);
    }
  }

  @Test
  void theServiceHasAsLongToStopAsWithSystemd() throws IOException {
    Properties unit = new Properties(); // names occur more than once; this one does not
    try (var text = Files.newBufferedReader(ROOT.resolve("dist/systemd/sluice-node.service"))) {
      unit.load(text);
    }
    assertEquals(
        unit.getProperty("TimeoutStopSec"), pod().get("terminationGracePeriodSeconds").asText());
  }

  /** The same user and the same directory of the node, at the same path. */
  @Test
  void executorsFindTheService() throws IOException {
    JsonNode executor = document(EXECUTOR).get("spec");
    assertEquals(pod().at("/securityContext/runAsUser"), executor.at("/securityContext/runAsUser"));
    JsonNode volume = executor.at("/volumes/0");
    assertEquals(pod().at("/volumes/0/hostPath"), volume.get("hostPath"));
    JsonNode mount = executor.at("/containers/0/volumeMounts/0");
    assertEquals(volume.get("name"), mount.get("name"));
    assertEquals(container().at("/volumeMounts/0/mountPath"), mount.get("mountPath"));
    Properties spark = new Properties();
    try (var text = Files.newBufferedReader(SPARK)) {
      spark.load(text);
    }
    String found = spark.getProperty("spark.sluice.service");
    assertEquals(option("--dir"), found);
    assertEquals(mount.get("mountPath").asText(), Path.of(found).getParent().toString());
    assertEquals(
        EXECUTOR.getFileName().toString(),
        spark.getProperty("spark.kubernetes.executor.podTemplateFile"));
  }

  @Test
  void theImageIsThatOfThisReleaseAndUser() throws IOException {
    String version =
        VERSION
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map(match -> match.group(1))
            .findFirst()
            .orElseThrow();
    JsonNode chart = document(CHART.resolve("Chart.yaml"));
    assertEquals(version, chart.get("version").asText());
    assertEquals(version, chart.get("appVersion").asText());
    assertEquals("sluice-node:" + version, container().get("image").asText());
    JsonNode user = pod().get("securityContext");
    String line = "USER %s:%s".formatted(user.get("runAsUser"), user.get("runAsGroup"));
    Path dockerfile = ROOT.resolve("dist/images/node/Dockerfile");
    assertTrue(Files.readAllLines(dockerfile).contains(line), line);
  }

  @Test
  void eachValueOfTheChartIsUsedAndIsThere() throws IOException {
    Set<String> there = new TreeSet<>();
    values("", document(CHART.resolve("values.yaml")), there);
    StringBuilder templates = new StringBuilder();
    for (File each : CHART.resolve("templates").toFile().listFiles()) {
      templates.append(Files.readString(each.toPath()));
    }
    assertEquals(there, found(VALUE, templates.toString()));
  }

  private static void values(String name, JsonNode value, Set<String> names) {
    if (value.isObject() && !value.isEmpty() && !WHOLE.contains(name)) {
      for (Map.Entry<String, JsonNode> each : value.properties()) {
        values(name + "." + each.getKey(), each.getValue(), names);
      }
    } else {
      names.add(name);
    }
  }

  /** If Helm is installed; few machines have it. */
  @Test
  void theManifestIsWhatTheChartMakes() throws Exception {
    Path said = directory.resolve("said");
    Process helm;
    try {
      helm =
          new ProcessBuilder(
                  "helm", "template", "sluice-node", CHART.toString(), "--namespace", "sluice")
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
    } catch (IOException e) {
      assumeTrue(false, "there is no helm: " + e.getMessage());
      return;
    }
    assertTrue(helm.waitFor(60, TimeUnit.SECONDS), "helm hangs");
    assertEquals(0, helm.exitValue(), Files.readString(said));
    assertEquals(List.of(daemonSet()), documents(Files.readString(said)));
  }
}
