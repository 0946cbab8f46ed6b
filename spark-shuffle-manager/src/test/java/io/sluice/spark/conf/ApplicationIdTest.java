package io.sluice.spark.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ApplicationIdTest {
  private static final String LONG = "a".repeat(300);

  private static final List<String> SHORT =
      List.of(
          "application_1700000000000_0001",
          "spark-0123456789abcdef",
          "my.app",
          "my%2eapp",
          "my%252eapp",
          "my_app",
          "my app",
          "my+app",
          "a/b:c",
          "..",
          ".",
          "größe",
          "数",
          "line\nbreak",
          "a.new");

  @Test
  void namesOfClustersOwnIdsAreTheIds() {
    for (String id : List.of("application_1700000000000_0001", "local-1700000000000")) {
      assertEquals(id, ApplicationId.name(id));
    }
  }

  @Test
  void aNameIsAFileNameAndCanBeDecoded() {
    for (String id : SHORT) {
      String name = ApplicationId.name(id);
      assertTrue(name.matches("[A-Za-z0-9_%-]{1,200}"), name);
      assertEquals(id, URLDecoder.decode(name, StandardCharsets.UTF_8));
    }
  }

  @Test
  void noTwoIdsHaveTheSameName() {
    Set<String> names = new HashSet<>();
    List<String> longOnes = List.of(LONG, LONG + "a", "." + LONG, "ä".repeat(100), "");
    SHORT.forEach(id -> assertTrue(names.add(ApplicationId.name(id)), id));
    for (String id : longOnes) {
      String name = ApplicationId.name(id);
      assertTrue(name.matches("[A-Za-z0-9_%-]{1,200}"), name);
      assertTrue(names.add(name), id);
    }
  }
}
