package io.sluice.node.testing;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What jars may hold of other projects, and what each must then bring with it: a text below {@code
 * META-INF}, a line of {@code NOTICE}, and its modules in the list of contents that a release has
 * for each jar.
 */
public enum Bundled {
  JUCX(
      "org/openucx/jucx/(?!examples/).*|libjucx[^/]*\\.so",
      "org.openucx:jucx",
      "licenses/ucx-BSD-3-Clause.txt",
      "JUCX",
      "libjucx_amd64.so"),
  JNA(
      "com/sun/jna/.*",
      "net.java.dev.jna:jna",
      "licenses/jna.txt",
      "Java Native Access",
      "com/sun/jna/linux-x86-64/libjnidispatch.so",
      "com/sun/jna/linux-aarch64/libjnidispatch.so"),
  /** Is in JNA's library. */
  LIBFFI(".*/libjnidispatch\\.so", "net.java.dev.jna:jna", "licenses/libffi-MIT.txt", "libffi"),
  PICOCLI("picocli/.*", "info.picocli:picocli", "LICENSE", "picocli"),
  /** Brings what it has from others, and their texts. */
  JACKSON(
      "com/fasterxml/jackson/.*|META-INF/(FastDoubleParser-(LICENSE|NOTICE)|thirdparty-LICENSE)",
      "com\\.fasterxml\\.jackson\\.core:jackson-(core|databind|annotations)",
      "licenses/jackson-NOTICE.txt",
      "Jackson"),
  PROMETHEUS(
      "io/sluice/shaded/prometheus/.*",
      "io\\.prometheus:prometheus-metrics-.*",
      "licenses/prometheus-NOTICE.txt",
      "Prometheus client"),
  SLF4J("org/slf4j/.*", "org\\.slf4j:slf4j-(api|simple)", "licenses/slf4j-MIT.txt", "SLF4J"),
  DISNI(
      "com/ibm/disni/.*",
      "com.ibm.disni:disni",
      "LICENSE",
      "DiSNI",
      "com/ibm/disni/verbs/impl/NativeDispatcher.class");

  private final Pattern entries;
  private final Pattern modules;
  private final String text;
  private final String name;
  private final List<String> boundByName;

  /**
   * @param entries a pattern of its entries
   * @param modules a pattern of Maven's names for its modules, {@code GROUP:ARTIFACT}
   * @param text its licence, below {@code META-INF}
   * @param name as {@code NOTICE} calls it
   * @param boundByName entries that native code, or what loads it, looks for by their names
   */
  Bundled(String entries, String modules, String text, String name, String... boundByName) {
    this.entries = Pattern.compile(entries);
    this.modules = Pattern.compile(modules);
    this.text = text;
    this.name = name;
    this.boundByName = List.of(boundByName);
  }

  /** Whether this entry of a jar is of the project. */
  public boolean holds(String entry) {
    return entries.matcher(entry).matches();
  }

  /** Whether Maven calls a module of the project so. */
  public boolean isModule(String module) {
    return modules.matcher(module).matches();
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
