package io.sluice.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.shuffle.SluiceShuffleConsumer;
import java.io.IOException;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The one jar that is copied to the nodes: what is in it, and above all what is not. */
final class EngineJarIT {
  private static final Pattern ALLOWED =
      Pattern.compile(
          "io/sluice/.*|org/openucx/jucx/(?!examples/).*|com/ibm/disni/.*|com/sun/jna/.*|libjucx[^/]*\\.so"
              + "|META-INF/.*|(io|org|org/openucx|com|com/ibm|com/sun)/");

  private static List<String> entries;

  @BeforeAll
  static void list() throws IOException {
    try (JarFile jar = new JarFile(System.getProperty("sluice.jar"))) {
      entries = jar.stream().map(ZipEntry::getName).toList();
    }
  }

  @Test
  void holdsNothingUnexpected() {
    assertEquals(
        List.of(), entries.stream().filter(name -> !ALLOWED.matcher(name).matches()).toList());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        SluiceMapOutputCollector.class,
        SluiceShuffleConsumer.class,
        SluiceShuffleService.class
      })
  void holdsWhatConfigurationsName(Class<?> entryPoint) {
    assertTrue(entries.contains(entryPoint.getName().replace('.', '/') + ".class"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "libjucx.so",
        "com/ibm/disni/verbs/impl/NativeDispatcher.class", // libdisni looks for it by this name
        "com/sun/jna/linux-x86-64/libjnidispatch.so",
        "com/sun/jna/linux-aarch64/libjnidispatch.so"
      })
  void holdsWhatIsBoundToNativeCodeByName(String entry) {
    assertTrue(entries.contains(entry), entry);
  }

  @Test
  void holdsNothingTwice() {
    assertEquals(entries.stream().distinct().count(), entries.size());
  }
}
