package io.sluice.tools.site;

import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a directory of configuration files says, each property with the file that it comes from.
 * Defaults of Hadoop and Spark are not in it.
 *
 * <p>Thread contract: immutable. Failure: what cannot be read is among the findings.
 */
final class SiteConf {
  static final String YARN_SITE = "yarn-site.xml";
  static final String MAPRED_SITE = "mapred-site.xml";
  static final String SPARK_DEFAULTS = "spark-defaults.conf";

  private static final List<String> HADOOP_FILES = List.of("core-site.xml", YARN_SITE, MAPRED_SITE);
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}$ ]+)\\}");
  private static final String OF_ENVIRONMENT = "env.";
  private static final String HEX = "0x";
  private static final int MOST_SUBSTITUTIONS = 20; // as Hadoop

  private final Path directory;
  private final Map<String, Property> properties = new TreeMap<>();
  private final List<Finding> findings = new ArrayList<>();
  private final UnaryOperator<String> environment;

  private SiteConf(Path directory, UnaryOperator<String> environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /**
   * The site files of Hadoop in a directory, later ones over earlier ones but for what is final.
   *
   * @param environment gives a variable's value, or null
   */
  static SiteConf ofHadoop(Path directory, UnaryOperator<String> environment) {
    SiteConf conf = new SiteConf(directory, environment);
    for (String name : HADOOP_FILES) {
      Path file = directory.resolve(name);
      if (!Files.notExists(file)) { // that it may not be looked at is another thing
        SiteXml site = SiteXml.read(file);
        conf.findings.addAll(site.findings());
        site.properties().forEach(conf::put);
      } else if (!name.startsWith("core")) {
        conf.missing(file);
      }
    }
    conf.resolve();
    return conf;
  }

  /** {@code spark-defaults.conf} in a directory, which Spark reads as Java's properties. */
  static SiteConf ofSpark(Path directory) {
    SiteConf conf = new SiteConf(directory, name -> null);
    Path file = directory.resolve(SPARK_DEFAULTS);
    Properties read = new Properties();
    boolean isMissing = Files.notExists(file);
    if (isMissing) {
      conf.missing(file);
    }
    try (InputStream bytes =
        isMissing ? InputStream.nullInputStream() : Files.newInputStream(file)) {
      read.load(
          new InputStreamReader(bytes, StandardCharsets.UTF_8)); // others become '?', as there
    } catch (IOException e) {
      conf.findings.add(SiteXml.unreadable(file, e));
    } catch (IllegalArgumentException e) {
      conf.findings.add(
          Finding.broken(
              file.toString(), "is no configuration file", ErrorText.of(e), "correct it"));
    }
    for (String name : read.stringPropertyNames()) {
      conf.put(new Property(name, read.getProperty(name).strip(), file, false));
    }
    return conf;
  }

  private void missing(Path file) {
    findings.add(
        Finding.problem(
            file.toString(),
            "is not there",
            "this doctor reads the files of one directory",
            "name the directory that has it"));
  }

  private void put(Property property) {
    Property former = properties.get(property.name());
    if (former == null || !former.isFinal()) {
      properties.put(property.name(), property);
    } else if (!former.value().equals(property.value())) {
      findings.add(
          Finding.problem(
              property.where(),
              "is %s, which does not count".formatted(property.value()),
              "%s says %s, and that it is final".formatted(former.file(), former.value()),
              "change it there"));
    }
  }

  private void resolve() {
    Map<String, Property> raw = Map.copyOf(properties);
    for (Property property : raw.values()) {
      String value = resolved(property.value(), raw);
      if (VARIABLE.matcher(value).find() && property.name().contains("sluice")) {
        findings.add(
            Finding.problem(
                property.where(),
                "is %s, which could not be resolved".formatted(value),
                "no property of these files, of Java or of this environment has that name",
                "write the value out, or run this doctor with the NodeManager's environment"));
      }
      properties.put(
          property.name(),
          new Property(property.name(), value, property.file(), property.isFinal()));
    }
  }

  /** As far as it goes; what nobody knows is left as it is, as Hadoop does. */
  private String resolved(String value, Map<String, Property> raw) {
    String result = value;
    for (int i = 0; i < MOST_SUBSTITUTIONS; i++) {
      Matcher variables = VARIABLE.matcher(result);
      String next =
          variables.replaceAll(
              match -> Matcher.quoteReplacement(value(match.group(1), raw).orElse(match.group())));
      if (next.equals(result)) {
        break;
      }
      result = next;
    }
    return result;
  }

  private Optional<String> value(String variable, Map<String, Property> raw) {
    if (variable.startsWith(OF_ENVIRONMENT)) {
      return Optional.ofNullable(environment.apply(variable.substring(OF_ENVIRONMENT.length())));
    }
    return Optional.ofNullable(System.getProperty(variable))
        .or(() -> Optional.ofNullable(raw.get(variable)).map(Property::value));
  }

  /** The file of this name, where what is not set would be set. */
  Path file(String name) {
    return directory.resolve(name);
  }

  Optional<Property> get(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  /** The value, or what it is if nobody sets it. */
  String get(String name, String otherwise) {
    return get(name).map(Property::value).orElse(otherwise);
  }

  /** A whole number; empty if it is none, which {@link #get} then shows. */
  Optional<Integer> number(String name, int otherwise) {
    String text = get(name, Integer.toString(otherwise));
    try { // as Hadoop reads numbers
      return Optional.of(
          text.startsWith(HEX) ? Integer.parseInt(text.substring(2), 16) : Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** All that is set, by name. */
  Collection<Property> all() {
    return properties.values();
  }

  /** What the files themselves have wrong. */
  List<Finding> findings() {
    return findings;
  }

  /**
   * One property as a file has it.
   *
   * @param name its name
   * @param value its value, trimmed; variables in it are resolved as far as they can be
   * @param file where it was read
   * @param isFinal whether files that are read later cannot change it
   */
  record Property(String name, String value, Path file, boolean isFinal) {
    /** File and name, for people. */
    String where() {
      return file + ", " + name;
    }
  }
}
