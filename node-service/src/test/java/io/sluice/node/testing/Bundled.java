package io.sluice.node.testing;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What jars may hold of other projects, and what each must then bring with it: a text below {@code
 * META-INF} and a line of {@code NOTICE}.
 */
public enum Bundled {
  JUCX(
      "org/openucx/jucx/(?!examples/).*|libjucx[^/]*\\.so",
      "licenses/ucx-BSD-3-Clause.txt",
      "JUCX",
      "libjucx_amd64.so"),
  JNA(
      "com/sun/jna/.*",
      "licenses/jna.txt",
      "Java Native Access",
      "com/sun/jna/linux-x86-64/libjnidispatch.so",
      "com/sun/jna/linux-aarch64/libjnidispatch.so"),
  /** Is in JNA's library. */
  LIBFFI(".*/libjnidispatch\\.so", "licenses/libffi-MIT.txt", "libffi"),
  PICOCLI("picocli/.*", "LICENSE", "picocli"),
  /** Brings what it has from others, and their texts. */
  JACKSON(
      "com/fasterxml/jackson/.*|META-INF/(FastDoubleParser-(LICENSE|NOTICE)|thirdparty-LICENSE)",
      "licenses/jackson-NOTICE.txt",
      "Jackson"),
  PROMETHEUS(
      "io/sluice/shaded/prometheus/.*", "licenses/prometheus-NOTICE.txt", "Prometheus client"),
  SLF4J("org/slf4j/.*", "licenses/slf4j-MIT.txt", "SLF4J"),
  DISNI("com/ibm/disni/.*", "LICENSE", "DiSNI", "com/ibm/disni/verbs/impl/NativeDispatcher.class");

  private final Pattern entries;
  private final String text;
  private final String name;
  private final List<String> boundByName;

  /**
   * @param entries a pattern of its entries
   * @param text its licence, below {@code META-INF}
   * @param name as {@code NOTICE} calls it
   * @param boundByName entries that native code, or what loads it, looks for by their names
   */
  Bundled(String entries, String text, String name, String... boundByName) {
    this.entries = Pattern.compile(entries);
    this.text = text;
    this.name = name;
    this.boundByName = List.of(boundByName);
  }

  boolean holds(String entry) {
    return entries.matcher(entry).matches();
  }

  String text() {
    return "META-INF/" + text;
  }

  /** How its line begins. */
  String line() {
    return "\n- " + name;
  }

  List<String> boundByName() {
    return boundByName;
  }
}
