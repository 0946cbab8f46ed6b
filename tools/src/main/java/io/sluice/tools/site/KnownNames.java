package io.sluice.tools.site;

import io.sluice.node.conf.SettingNames;
import io.sluice.tools.doctor.Finding;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Names that begin as Sluice's settings do and are none. The names are those of the pages of
 * settings, which are generated from the code and are in the jar.
 *
 * @param conf where to look
 * @param prefix of Sluice's settings in it
 * @param pages that have them
 */
record KnownNames(SiteConf conf, String prefix, List<String> pages) {
  private static final Pattern ROW = Pattern.compile("\\| `([A-Za-z.\\-]+)` \\|.*");

  /**
   * What an application's own classes are told, and what jobs of one process look at themselves.
   */
  private static final Set<String> OTHERS = Set.of("spark.sluice.secret");

  private static final String REFUSED =
      "; no NodeManager's service and no application of Spark starts with it";
  private static final String IN_ONE_PROCESS = "sluice.local.";

  static KnownNames ofHadoop(SiteConf conf) {
    return new KnownNames(conf, "sluice.", List.of("settings.md", "experiments.md"));
  }

  static KnownNames ofSpark(SiteConf conf) {
    return new KnownNames(conf, "spark.sluice.", List.of("spark-settings.md", "experiments.md"));
  }

  List<Finding> look() {
    SettingNames names = new SettingNames(known(), Map.of());
    return conf.all().stream()
        .filter(property -> property.name().startsWith(prefix))
        .filter(property -> !property.name().startsWith(IN_ONE_PROCESS))
        .flatMap(property -> complaint(names, property).stream())
        .toList();
  }

  private static Optional<Finding> complaint(SettingNames names, Property property) {
    return names.complaints(List.of(property.name())).stream()
        .findFirst()
        .map(
            sentence -> {
              String remedy =
                  names
                      .nearest(property.name())
                      .map("write %s, or take it out"::formatted)
                      .orElse("take it out");
              return property.file().endsWith(SiteConf.MAPRED_SITE)
                  ? Finding.problem(
                      property.where(), "is no setting", sentence + "; jobs only warn", remedy)
                  : Finding.broken(property.where(), "is no setting", sentence + REFUSED, remedy);
            });
  }

  Set<String> known() {
    return Stream.concat(pages.stream().flatMap(KnownNames::names), OTHERS.stream())
        .collect(Collectors.toSet());
  }

  private static Stream<String> names(String page) {
    try (InputStream content = KnownNames.class.getResourceAsStream(page);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(content, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .map(ROW::matcher)
          .filter(Matcher::matches)
          .map(row -> row.group(1))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // of this very jar
    }
  }
}
