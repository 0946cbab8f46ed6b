package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import io.sluice.tools.site.SiteConf.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Checks the properties by which Hadoop runs Sluice, except those that name its jar; {@link
 * HadoopJars} checks those.
 *
 * @param conf the cluster's configuration
 */
record HadoopProperties(SiteConf conf) {
  static final String COLLECTOR = "io.sluice.hadoop.collect.SluiceMapOutputCollector";
  static final String STOCK_COLLECTOR = "org.apache.hadoop.mapred.MapTask$MapOutputBuffer";
  static final String CONSUMER = "io.sluice.hadoop.shuffle.SluiceShuffleConsumer";
  static final String SERVICE_CLASS = "io.sluice.hadoop.service.SluiceShuffleService";

  static final String AUX_SERVICES = "yarn.nodemanager.aux-services";
  static final String SERVICE = "sluice_shuffle";
  static final String COLLECTOR_KEY = "mapreduce.job.map.output.collector.class";
  static final String CONSUMER_KEY = "mapreduce.job.reduce.shuffle.consumer.plugin.class";

  private static final String STOCK_SERVICE = "mapreduce_shuffle";
  private static final String MANIFEST = AUX_SERVICES + ".manifest.enabled";
  private static final String PROVIDERS = "mapreduce.job.shuffle.provider.services";
  private static final String STOCK_SHUFFLE = "all jobs use the stock shuffle";

  List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    findings.add(services());
    findings.add(
        isSet(
            SiteConf.YARN_SITE,
            AUX_SERVICES + "." + SERVICE + ".class",
            SERVICE_CLASS,
            "the NodeManager does not start Sluice's service"));
    findings.add(collector());
    findings.add(
        isSet(SiteConf.MAPRED_SITE, CONSUMER_KEY, CONSUMER, STOCK_SHUFFLE + " unless they set it"));
    if (conf.get(MANIFEST, "false").equals("true")) {
      findings.add(
          Finding.broken(
              conf.get(MANIFEST).orElseThrow().where(),
              "is true",
              "the NodeManager then takes its services from a manifest, and ignores "
                  + AUX_SERVICES,
              "set it to false, or write " + SERVICE + " into the manifest"));
    }
    conf.get(PROVIDERS)
        .filter(providers -> names(providers.value()).contains(SERVICE))
        .ifPresent(
            providers ->
                findings.add(
                    Finding.problem(
                        providers.where(),
                        "is " + providers.value(),
                        "YARN starts no container of such a job on a node without that service",
                        "remove %s from it".formatted(SERVICE))));
    return findings;
  }

  private Finding services() {
    Optional<Property> set = conf.get(AUX_SERVICES);
    List<String> services = set.map(property -> names(property.value())).orElse(List.of());
    List<String> missing = new ArrayList<>(List.of(STOCK_SERVICE, SERVICE));
    missing.removeAll(services);
    if (missing.isEmpty()) {
      return Finding.ok(set.orElseThrow().where(), "is " + set.orElseThrow().value());
    }
    List<String> right = new ArrayList<>(services);
    right.addAll(missing);
    return Finding.broken(
        where(SiteConf.YARN_SITE, AUX_SERVICES),
        set.map(property -> "is " + property.value()).orElse("is not set"),
        "%s is not among the services".formatted(String.join(", ", missing)),
        "set it to " + String.join(",", right));
  }

  private Finding collector() {
    Optional<Property> set = conf.get(COLLECTOR_KEY);
    String right = COLLECTOR + "," + STOCK_COLLECTOR;
    List<String> classes = set.map(property -> names(property.value())).orElse(List.of());
    if (!classes.isEmpty() && classes.get(0).equals(COLLECTOR)) {
      return Finding.ok(set.orElseThrow().where(), "is " + set.orElseThrow().value());
    }
    return Finding.broken(
        where(SiteConf.MAPRED_SITE, COLLECTOR_KEY),
        set.map(property -> "is " + property.value()).orElse("is not set"),
        classes.contains(COLLECTOR)
            ? "a map uses the first class that works, and that is not Sluice's"
            : STOCK_SHUFFLE + " unless they set it",
        "set it to " + right);
  }

  private Finding isSet(String file, String name, String right, String otherwise) {
    Optional<Property> set = conf.get(name);
    if (set.isPresent() && set.get().value().equals(right)) {
      return Finding.ok(set.get().where(), "is " + right);
    }
    return Finding.broken(
        where(file, name),
        set.map(property -> "is " + property.value()).orElse("is not set"),
        otherwise,
        "set it to " + right);
  }

  /** The file and name of a property, whether it is set or not. */
  private String where(String file, String name) {
    return conf.get(name).map(Property::where).orElse(conf.file(file) + ", " + name);
  }

  static List<String> names(String value) {
    return Arrays.stream(value.split(",")).map(String::strip).filter(n -> !n.isEmpty()).toList();
  }
}
