package io.sluice.tools.site;

import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding;
import java.io.CharConversionException;
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
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * The properties of a directory of configuration files, each with the file that it comes from.
 * Defaults of Hadoop and Spark are not included.
 *
 * <p>Thread contract: immutable once read. Failure: a file that cannot be read is a finding.
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
   * Reads the site files of Hadoop in a directory. Later files override earlier ones, except for
   * final properties.
   *
   * @param environment returns a variable's value, or null
   */
  static SiteConf ofHadoop(Path directory, UnaryOperator<String> environment) {
    SiteConf conf = new SiteConf(directory, environment);
    for (String name : HADOOP_FILES) {
      Path file = directory.resolve(name);
      if (!Files.notExists(file)) { // a file that may not be read exists
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

  /** Reads {@code spark-defaults.conf} in a directory, in the format of Java's properties. */
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
      read.load(new InputStreamReader(bytes, StandardCharsets.UTF_8)); // Spark decodes it so, too
    } catch (IOException e) {
      conf.findings.add(SiteXml.unreadable(file, e));
    } catch (IllegalArgumentException e) {
      conf.findings.add(
          Finding.broken(
              file.toString(), "is no valid configuration file", ErrorText.of(e), "correct it"));
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
            "does not exist",
            "this doctor reads the files of one directory",
            "give the directory that has it"));
  }

  private void put(Property property) {
    Property former = properties.get(property.name());
    if (former == null || !former.isFinal()) {
      properties.put(property.name(), property);
    } else if (!former.value().equals(property.value())) {
      findings.add(
          Finding.problem(
              property.where(),
              "is %s, which has no effect".formatted(property.value()),
              "%s sets it to %s and makes it final".formatted(former.file(), former.value()),
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
                "neither these files nor Java nor this environment has a property of that name",
                "write the value itself, or run this doctor with the NodeManager's environment"));
      }
      properties.put(
          property.name(),
          new Property(property.name(), value, property.file(), property.isFinal()));
    }
  }

  /** Resolves the variables in a value; unknown ones stay as they are, as in Hadoop. */
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

  /** The file of a name in the directory. */
  Path file(String name) {
    return directory.resolve(name);
  }

  Optional<Property> get(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  /** The value of a property, or the given default. */
  String get(String name, String otherwise) {
    return get(name).map(Property::value).orElse(otherwise);
  }

  /**
   * The value of a property as a whole number; empty if it is none, and {@link #get} returns it
   * then.
   */
  Optional<Integer> number(String name, int otherwise) {
    String text = get(name, Integer.toString(otherwise));
    try { // as Hadoop reads numbers
      return Optional.of(
          text.startsWith(HEX) ? Integer.parseInt(text.substring(2), 16) : Integer.parseInt(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** All properties that are set, ordered by name. */
  Collection<Property> all() {
    return properties.values();
  }

  /** Findings about the files themselves. */
  List<Finding> findings() {
    return findings;
  }

  /**
   * One property of a file.
   *
   * @param name its name
   * @param value its value, trimmed; variables in it are resolved where they are known
   * @param file the file that sets it
   * @param isFinal whether later files cannot override it
   */
  record Property(String name, String value, Path file, boolean isFinal) {
    /** The file and the name, for messages. */
    String where() {
      return file + ", " + name;
    }
  }

  /**
   * Reads a file such as {@code yarn-site.xml} as Hadoop's {@code Configuration} does. A property
   * has name and value as elements or as attributes. The last property of a name counts, or the
   * first one that is final. It does not follow {@code xi:include}; that is a finding.
   *
   * <p>Thread contract: one thread. Failure: a file that cannot be read is a finding, never an
   * exception.
   */
  static final class SiteXml {
    private final Path file;
    private final List<Property> properties = new ArrayList<>();
    private final List<Finding> findings = new ArrayList<>();

    private SiteXml(Path file) {
      this.file = file;
    }

    /** Reads a file that exists. */
    static SiteXml read(Path file) {
      SiteXml site = new SiteXml(file);
      try (InputStream content = Files.newInputStream(file)) {
        Element root = parse(content).getDocumentElement();
        if (root.getTagName().equals("configuration")) {
          site.take(root);
        } else {
          site.malformed("its root is <%s>, not <configuration>".formatted(root.getTagName()));
        }
      } catch (SAXParseException e) {
        site.malformed("line %s: %s".formatted(e.getLineNumber(), e.getMessage()));
      } catch (CharConversionException | SAXException | ParserConfigurationException e) {
        site.malformed(ErrorText.of(e));
      } catch (IOException e) {
        site.findings.add(unreadable(file, e));
      }
      return site;
    }

    /** The properties in the order of the file. */
    List<Property> properties() {
      return properties;
    }

    /** Findings about the file. */
    List<Finding> findings() {
      return findings;
    }

    private static Document parse(InputStream content)
        throws IOException, SAXException, ParserConfigurationException {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setAttribute(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(new Thrower()); // the JDK's own prints to the standard error
      return builder.parse(content);
    }

    private void take(Element parent) {
      for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element element) {
          switch (element.getTagName()) {
            case "property" -> add(element);
            case "configuration" -> take(element);
            case "xi:include", "include" ->
                findings.add(
                    Finding.problem(
                        file.toString(),
                        "includes %s, which was not read".formatted(element.getAttribute("href")),
                        "this doctor does not follow xi:include",
                        "copy both into one file of the same name, and examine that"));
            default -> {} // as Hadoop does
          }
        }
      }
    }

    private void add(Element property) {
      String name = part(property, "name");
      String value = part(property, "value");
      if (!name.isEmpty() && !value.isEmpty()) {
        properties.add(new Property(name, value, file, part(property, "final").equals("true")));
      }
    }

    private static String part(Element property, String name) {
      for (Node node = property.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element element && element.getTagName().equals(name)) {
          return element.getTextContent().strip();
        }
      }
      return property.getAttribute(name).strip();
    }

    /** The finding for a file that this process cannot read. */
    static Finding unreadable(Path file, IOException cause) {
      return Finding.broken(
          file.toString(),
          "cannot be read",
          ErrorText.of(cause),
          "make it readable for this doctor's user; Hadoop and Spark must read it, too");
    }

    private void malformed(String cause) {
      findings.add(
          Finding.broken(
              file.toString(),
              "is no valid configuration file",
              cause,
              "correct it; Hadoop refuses it too"));
    }

    /** Throws every error, so that the first one ends the reading. */
    private static final class Thrower implements ErrorHandler {
      @Override
      public void warning(SAXParseException warning) {
        // a warning changes no value
      }

      @Override
      public void error(SAXParseException error) throws SAXException {
        throw error;
      }

      @Override
      public void fatalError(SAXParseException error) throws SAXException {
        throw error;
      }
    }
  }
}
