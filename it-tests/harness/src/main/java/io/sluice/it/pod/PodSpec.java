package io.sluice.it.pod;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What Spark asks for when it asks for an executor's pod.
 *
 * @param name of the pod
 * @param environment of its container
 * @param mounts directories that can be written, by where the container has them; relative to the
 *     node's directory, unless they are the host's
 * @param memoryMib limit of its memory
 */
record PodSpec(
    String name, Map<String, String> environment, Map<Path, Path> mounts, long memoryMib) {
  /** Where the volumes of single pods are, and those that are claimed and outlive them. */
  static final Path VOLUMES = Path.of("volumes");

  static final Path CLAIMS = Path.of("claims");

  private static final String MIB = "Mi";
  private static final String JAVA_OPTION = "SPARK_JAVA_OPT_";

  /** Reads it. A field that this does not know is left out. */
  static PodSpec of(JsonNode pod, String podAddress) {
    String name = pod.at("/metadata/name").asText();
    JsonNode container = pod.at("/spec/containers/0");
    Map<String, String> environment = new LinkedHashMap<>();
    for (JsonNode variable : container.path("env")) {
      String field = variable.at("/valueFrom/fieldRef/fieldPath").asText();
      String value =
          switch (field) {
            case "" -> variable.path("value").asText();
            case "status.podIP" -> podAddress;
            case "metadata.name" -> name;
            default -> throw new IllegalArgumentException("a pod's " + field + " is not known");
          };
      environment.put(variable.path("name").asText(), value);
    }
    Map<Path, Path> mounts = new LinkedHashMap<>();
    for (JsonNode mount : container.path("volumeMounts")) {
      mounts.put(
          Path.of(mount.path("mountPath").asText()),
          volume(pod, name, mount.path("name").asText()));
    }
    return new PodSpec(
        name, environment, mounts, mib(container.at("/resources/limits/memory").asText()));
  }

  private static Path volume(JsonNode pod, String podName, String name) {
    for (JsonNode volume : pod.at("/spec/volumes")) {
      if (volume.path("name").asText().equals(name)) {
        String claim = volume.at("/persistentVolumeClaim/claimName").asText();
        String path = volume.at("/hostPath/path").asText();
        if (!path.isEmpty()) {
          return Path.of(path);
        }
        return claim.isEmpty() ? VOLUMES.resolve(podName + "-" + name) : CLAIMS.resolve(claim);
      }
    }
    throw new IllegalArgumentException("the pod has no volume " + name);
  }

  private static long mib(String quantity) {
    if (!quantity.endsWith(MIB)) {
      throw new IllegalArgumentException("a pod's memory is " + quantity);
    }
    return Long.parseLong(quantity.substring(0, quantity.length() - MIB.length()));
  }

  /** What the entry point of Spark's image runs; {@code spark} is that image's directory. */
  List<String> command(Path javaHome, Path spark) {
    List<String> command = new ArrayList<>(List.of(javaHome.resolve("bin/java").toString()));
    for (int i = 0; environment.containsKey(JAVA_OPTION + i); i++) {
      command.add(environment.get(JAVA_OPTION + i));
    }
    String heap = environment.get("SPARK_EXECUTOR_MEMORY");
    command.addAll(
        List.of(
            "-Xms" + heap,
            "-Xmx" + heap,
            "-cp",
            environment.getOrDefault("SPARK_CLASSPATH", "") + ":" + spark.resolve("jars/*"),
            "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"));
    Map.of(
            "--driver-url", "SPARK_DRIVER_URL",
            "--executor-id", "SPARK_EXECUTOR_ID",
            "--cores", "SPARK_EXECUTOR_CORES",
            "--app-id", "SPARK_APPLICATION_ID",
            "--hostname", "SPARK_EXECUTOR_POD_IP",
            "--resourceProfileId", "SPARK_RESOURCE_PROFILE_ID",
            "--podName", "SPARK_EXECUTOR_POD_NAME")
        .forEach((option, variable) -> command.addAll(List.of(option, environment.get(variable))));
    return command;
  }
}
