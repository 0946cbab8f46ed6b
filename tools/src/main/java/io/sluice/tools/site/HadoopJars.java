package io.sluice.tools.site;

import io.sluice.tools.doctor.Finding;
import io.sluice.tools.site.SiteConf.Property;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks whether NodeManagers, containers and clients find Sluice's jar, and whether all jars are
 * of one release.
 *
 * @param conf the cluster's configuration
 * @param environment returns a variable's value, or null
 * @param ownRelease the release of this doctor; empty if it does not run from a jar
 */
record HadoopJars(SiteConf conf, UnaryOperator<String> environment, Optional<String> ownRelease) {
  static final String SERVICE_KEY =
      HadoopProperties.AUX_SERVICES + "." + HadoopProperties.SERVICE + ".classpath";
  static final String JOB_KEY = "mapreduce.application.classpath";

  private static final String ALSO_OF_JOBS = "yarn.application.classpath";
  private static final String CLIENT_VARIABLE = "HADOOP_CLASSPATH";
  private static final String ENVIRONMENT_FILE = "hadoop-env.sh";
  private static final Pattern ASSIGNMENT =
      Pattern.compile("\\s*(?:export\\s+)?" + CLIENT_VARIABLE + "=[\"']?([^\"'#]*)[\"']?.*");

  List<Finding> look() {
    List<Finding> findings = new ArrayList<>();
    List<ClassPath.Jar> jars = new ArrayList<>();
    side(
        findings,
        jars,
        where(SERVICE_KEY, SiteConf.YARN_SITE),
        conf.get(SERVICE_KEY, ""),
        HadoopProperties.SERVICE_CLASS,
        "the NodeManager exits at its start");
    List<ClassPath.Jar> ofJobs = new ArrayList<>();
    side(
        findings,
        ofJobs,
        where(JOB_KEY, SiteConf.MAPRED_SITE),
        conf.get(JOB_KEY, "") + "," + conf.get(ALSO_OF_JOBS, ""),
        HadoopProperties.COLLECTOR,
        "maps of jobs that set Sluice's collector fail");
    unnamed(ofJobs).ifPresent(findings::add);
    jars.addAll(ofJobs);
    client(findings, jars);
    releases(findings, jars);
    return findings;
  }

  /**
   * During an upgrade of the nodes, tasks of one job may run two releases if no setting names one.
   */
  private Optional<Finding> unnamed(List<ClassPath.Jar> jars) {
    return jars.stream()
        .filter(jar -> !jar.isNamedByRelease())
        .findFirst()
        .map(
            jar ->
                Finding.info(
                    where(JOB_KEY, SiteConf.MAPRED_SITE),
                    "names %s, without a release in the name".formatted(jar.entry()),
                    "during an upgrade node by node, tasks of one job may run two releases",
                    "write "
                        + example()
                        + ", and keep that jar on each node until its jobs have ended"));
  }

  private String example() {
    return "/opt/sluice/sluice-hadoop-%s.jar".formatted(ownRelease.orElse("VERSION"));
  }

  private String where(String name, String file) {
    return conf.get(name).map(Property::where).orElse(conf.file(file) + ", " + name);
  }

  private void side(
      List<Finding> findings,
      List<ClassPath.Jar> jars,
      String where,
      String value,
      String className,
      String consequence) {
    ClassPath path = ClassPath.of(value, className, environment);
    jars.addAll(path.jars());
    if (path.jars().size() == 1) {
      findings.add(Finding.ok(where, "has " + path.jars().get(0).described()));
    } else if (path.jars().size() > 1) {
      findings.add(
          Finding.problem(
              where,
              "has Sluice's jar more than once: " + described(path.jars()),
              "the JVM uses the first one",
              "remove all but one"));
    } else if (!path.absent().isEmpty()) {
      findings.add(
          Finding.broken(
              where,
              "names %s, which is no readable jar on this host".formatted(path.absent().get(0)),
              "without it " + consequence,
              "copy the jar there, on every node, and make it readable for all users"));
    } else {
      findings.add(
          Finding.broken(
              where,
              "has no jar of Sluice",
              "without it " + consequence,
              "add the path of the jar, such as " + example()));
    }
  }

  /** Checks clients, which need the jar only for jobs in their own process. */
  private void client(List<Finding> findings, List<ClassPath.Jar> jars) {
    Path file = conf.file(ENVIRONMENT_FILE);
    String value =
        Optional.ofNullable(environment.apply(CLIENT_VARIABLE)).orElse("") + ":" + assigned(file);
    ClassPath path = ClassPath.of(value, HadoopProperties.COLLECTOR, environment);
    jars.addAll(path.jars());
    String where = file + ", " + CLIENT_VARIABLE;
    findings.add(
        path.jars().isEmpty()
            ? Finding.info(
                where,
                "has no jar of Sluice",
                "jobs in a client's own process (mapreduce.framework.name=local) fail without it",
                "export %s=%s:$%s".formatted(CLIENT_VARIABLE, example(), CLIENT_VARIABLE))
            : Finding.ok(where, "has " + described(path.jars())));
  }

  private static String assigned(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .map(ASSIGNMENT::matcher)
          .filter(Matcher::matches)
          .map(line -> line.group(1).strip())
          .collect(Collectors.joining(":"));
    } catch (IOException e) {
      return "";
    }
  }

  private void releases(List<Finding> findings, List<ClassPath.Jar> jars) {
    List<String> releases =
        jars.stream().flatMap(jar -> jar.release().stream()).distinct().sorted().toList();
    if (releases.size() > 1) {
      findings.add(
          Finding.problem(
              "releases of Sluice",
              "there are two: " + described(jars),
              "one side may not understand the other; maps then use the stock shuffle",
              "set all of these to one jar, the NodeManagers' first (docs/upgrade.md)"));
    } else if (releases.size() == 1
        && ownRelease.isPresent()
        && !ownRelease.get().equals(releases.get(0))) {
      findings.add(
          Finding.problem(
              "releases of Sluice",
              "the cluster's is %s, this doctor's is %s"
                  .formatted(releases.get(0), ownRelease.get()),
              "its findings are about its own release",
              "use the doctor of the cluster's release"));
    }
  }

  private static String described(List<ClassPath.Jar> jars) {
    return jars.stream().map(ClassPath.Jar::described).distinct().collect(Collectors.joining("; "));
  }
}
