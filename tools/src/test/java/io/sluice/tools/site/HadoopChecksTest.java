package io.sluice.tools.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Finding;
import io.sluice.tools.doctor.SystemFiles;
import io.sluice.tools.site.ClusterDoctor.KnownNames;
import io.sluice.tools.site.NodeMemoryCheck.PoolFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a cluster's site files, one mistake at a time. */
class HadoopChecksTest {
  private static final Path DOCS = Path.of("..", "docs");

  @TempDir private Path root;
  private Conf conf;

  @BeforeEach
  void create() throws IOException {
    conf = new Conf(Files.createDirectory(root.resolve("conf")));
  }

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  private SystemFiles machine(String file, String text) throws IOException {
    Path path = root.resolve("machine" + file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text + "\n");
    return new SystemFiles(root.resolve("machine"));
  }

  private Conf complete() {
    return conf.yarn(HadoopProperties.AUX_SERVICES, "mapreduce_shuffle, sluice_shuffle")
        .yarn(
            HadoopProperties.AUX_SERVICES + ".sluice_shuffle.class", HadoopProperties.SERVICE_CLASS)
        .mapred(
            HadoopProperties.COLLECTOR_KEY,
            HadoopProperties.COLLECTOR + "," + HadoopProperties.STOCK_COLLECTOR)
        .mapred(HadoopProperties.CONSUMER_KEY, HadoopProperties.CONSUMER);
  }

  private String ofProperties() {
    return Conf.complaints(new HadoopProperties(conf.read()).look());
  }

  /** The files that administrators copy are those that the doctor takes for right. */
  @Test
  void theFilesToCopyAreRight() throws IOException {
    conf.read();
    conf.write("yarn-site.xml", Files.readString(DOCS.resolve("conf/yarn-site.sluice.xml")));
    conf.write("mapred-site.xml", Files.readString(DOCS.resolve("conf/mapred-site.sluice.xml")));
    SiteConf read = SiteConf.ofHadoop(root.resolve("conf"), name -> null);
    assertEquals("", Conf.complaints(read.findings()));
    assertEquals("", Conf.complaints(new HadoopProperties(read).look()));
  }

  @Test
  void allThatIsMissingIsSaidWithWhatToWrite() {
    String said = ofProperties();
    assertContains("yarn-site.xml, yarn.nodemanager.aux-services: is not set", said);
    assertContains("set it to mapreduce_shuffle,sluice_shuffle", said);
    assertContains("set it to " + HadoopProperties.SERVICE_CLASS, said);
    assertContains(
        "set it to " + HadoopProperties.COLLECTOR + "," + HadoopProperties.STOCK_COLLECTOR, said);
    assertContains("set it to " + HadoopProperties.CONSUMER, said);
  }

  @Test
  void nothingIsWrongWithACompleteOne() {
    complete();
    assertEquals("", ofProperties());
  }

  @Test
  void otherServicesStayInWhatIsToBeWritten() {
    conf.yarn(HadoopProperties.AUX_SERVICES, "tez_shuffle,mapreduce_shuffle");
    assertContains("set it to tez_shuffle,mapreduce_shuffle,sluice_shuffle", ofProperties());
  }

  @Test
  void aCollectorBehindAnotherIsNotTaken() {
    conf.mapred(
        HadoopProperties.COLLECTOR_KEY,
        HadoopProperties.STOCK_COLLECTOR + "," + HadoopProperties.COLLECTOR);
    assertContains("a map uses the first class that works", ofProperties());
  }

  @Test
  void aManifestOfServicesHidesTheProperties() {
    complete().yarn("yarn.nodemanager.aux-services.manifest.enabled", "true");
    assertContains("takes its services from a manifest", ofProperties());
  }

  @Test
  void theServiceIsNoProviderOfJobs() {
    complete().mapred("mapreduce.job.shuffle.provider.services", "sluice_shuffle");
    assertContains("YARN starts no container", ofProperties());
  }

  private List<Finding> ofJars(String ownRelease) {
    return new HadoopJars(conf.read(), name -> null, Optional.of(ownRelease)).look();
  }

  @Test
  void oneJarOnBothSidesIsFine() throws IOException {
    Path jar = Conf.jar(root.resolve("sluice-hadoop.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, jar.toString())
        .mapred(HadoopJars.JOB_KEY, "$NOWHERE/share/*, " + jar);
    assertEquals("", Conf.complaints(ofJars("1.0")));
  }

  private static boolean saysThatNoReleaseIsNamed(List<Finding> findings, Object entry) {
    return findings.stream()
        .anyMatch(
            finding ->
                finding.level() == Finding.Level.INFO
                    && finding.subject().contains(HadoopJars.JOB_KEY)
                    && finding
                        .what()
                        .equals("names %s, without a release in the name".formatted(entry)));
  }

  @Test
  void aJobWhoseSettingsNameNoReleaseMayHaveTasksOfTwo() throws IOException {
    Path old = Conf.jar(root.resolve("sluice-hadoop.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, old.toString()).mapred(HadoopJars.JOB_KEY, old.toString());
    assertTrue(saysThatNoReleaseIsNamed(ofJars("1.0"), old), ofJars("1.0").toString());
  }

  @Test
  void aDirectoryOfJarsNamesNoRelease() throws IOException {
    Conf.jar(root.resolve("sluice-hadoop-1.0.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.mapred(HadoopJars.JOB_KEY, root + "/*");
    assertTrue(saysThatNoReleaseIsNamed(ofJars("1.0"), root + "/*"), ofJars("1.0").toString());
  }

  @Test
  void aJarThatIsNamedByItsReleaseKeepsTheTasksOfAJobTogether() throws IOException {
    Path jar = Conf.jar(root.resolve("sluice-hadoop-1.0.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, jar.toString()).mapred(HadoopJars.JOB_KEY, jar.toString());
    assertFalse(saysThatNoReleaseIsNamed(ofJars("1.0"), jar), ofJars("1.0").toString());
  }

  @Test
  void aDirectoryOfJarsIsLookedThrough() throws IOException {
    Path jar = Conf.jar(root.resolve("sluice-hadoop.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, jar.toString()).mapred(HadoopJars.JOB_KEY, root + "/*");
    assertEquals("", Conf.complaints(ofJars("1.0")));
  }

  @Test
  void aJarThatIsNotThereOrNotNamedIsSaidForItsSide() {
    conf.yarn(HadoopJars.SERVICE_KEY, "/no/such/sluice-hadoop.jar")
        .mapred(HadoopJars.JOB_KEY, "/no/such/other.jar");
    String said = Conf.complaints(ofJars("1.0"));
    assertContains("names /no/such/sluice-hadoop.jar, which is no readable jar", said);
    assertContains("the NodeManager exits at its start", said);
    assertContains("mapreduce.application.classpath: has no jar of Sluice", said);
  }

  @Test
  void twoReleasesThatMeetAreCalledThat() throws IOException {
    Path old = Conf.jar(root.resolve("sluice-old.jar"), "0.9", HadoopProperties.COLLECTOR);
    Path jar = Conf.jar(root.resolve("sluice-new.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, old.toString()).mapred(HadoopJars.JOB_KEY, jar.toString());
    String said = Conf.complaints(ofJars("1.0"));
    assertContains("there are two: %s of release 0.9; %s of release 1.0".formatted(old, jar), said);
  }

  @Test
  void aClusterOfAnotherReleaseThanTheDoctorsIsSaid() throws IOException {
    Path jar = Conf.jar(root.resolve("sluice-hadoop.jar"), "0.9", HadoopProperties.COLLECTOR);
    conf.yarn(HadoopJars.SERVICE_KEY, jar.toString()).mapred(HadoopJars.JOB_KEY, jar.toString());
    assertContains("the cluster's is 0.9, this doctor's is 1.0", Conf.complaints(ofJars("1.0")));
  }

  @Test
  void theClientsJarIsFoundInItsEnvironmentFile() throws IOException {
    Path jar = Conf.jar(root.resolve("sluice-hadoop.jar"), "1.0", HadoopProperties.COLLECTOR);
    conf.write(
        "hadoop-env.sh", "export HADOOP_CLASSPATH=\"%s:$HADOOP_CLASSPATH\"\n".formatted(jar));
    assertTrue(
        ofJars("1.0").stream()
            .anyMatch(f -> f.level() == Finding.Level.OK && f.subject().contains("hadoop-env.sh")));
  }

  @Test
  void aMisspeltNameIsSaidWithTheNearest() {
    conf.yarn("sluice.node.memory", "2048").mapred("sluice.reduce.bufer-mb", "64");
    String said = Conf.complaints(KnownNames.ofHadoop(conf.read()).look());
    assertContains("BROKEN   " + root.resolve("conf/yarn-site.xml") + ", sluice.node.memory", said);
    assertContains("write sluice.node.memory-mb, or remove it", said);
    assertContains("PROBLEM  " + root.resolve("conf/mapred-site.xml"), said);
    assertContains("write sluice.reduce.buffer-mb, or remove it", said);
  }

  @Test
  void everySettingOfThePagesIsKnown() {
    conf.yarn("sluice.pool.dir", "/x")
        .yarn("sluice.service.idle-timeout-ms", "1")
        .mapred("sluice.fallback.policy", "auto")
        .mapred("sluice.local.map-threads", "2");
    assertEquals("", Conf.complaints(KnownNames.ofHadoop(conf.read()).look()));
  }

  @Test
  void aNameThatWasRenamedIsSaidWithTheNewOne() {
    conf.yarn("sluice.bounce.buffer-mb", "32").mapred("sluice.transport", "tcp");
    String said = Conf.complaints(KnownNames.ofHadoop(conf.read()).look());
    assertContains(
        "sluice.bounce.buffer-mb is now called sluice.service.bounce-buffer-mb; no NodeManager",
        said);
    assertContains("fix: write sluice.service.bounce-buffer-mb\n", said);
    assertContains("fix: write sluice.reduce.transport (of jobs) and sluice.service", said);
  }

  /** UnknownSettings' and SparkSettings' modules are not needed by this one. */
  @Test
  void theRenamedNamesAreThoseOfTheEngines() throws IOException {
    assertRenamed(
        "hadoop-shuffle-plugin/src/main/java/io/sluice/hadoop/conf/UnknownSettings.java",
        "\"(sluice\\.[a-z.\\-]+[a-z])\",",
        KnownNames.ofHadoop(conf.read()));
    assertRenamed(
        "spark-shuffle-manager/src/main/java/io/sluice/spark/conf/SparkSettings.java",
        "Map\\.entry\\(\\s*\"([^\"]+)\"",
        KnownNames.ofSpark(conf.read()));
  }

  private static void assertRenamed(String source, String name, KnownNames names)
      throws IOException {
    String text = Files.readString(Path.of("..").resolve(source));
    assertEquals(
        names.renamed().keySet(),
        Pattern.compile(name)
            .matcher(text)
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toSet()));
    Set<String> known = names.known();
    for (String instead : names.renamed().values()) {
      Stream.of(instead.replaceAll("\\([^)]*\\)", "").split(" and "))
          .forEach(one -> assertTrue(known.contains(one.strip()), one));
    }
  }

  private String ofPorts(String outgoing) throws IOException {
    return Conf.complaints(
        new HadoopPorts(conf.read(), machine("/proc/sys/net/ipv4/ip_local_port_range", outgoing))
            .look());
  }

  @Test
  void theDefaultPortsMeetNobody() throws IOException {
    assertEquals("", ofPorts("32768\t60999"));
  }

  /** The ports are ControlPorts', whose module this one does not need. */
  @Test
  void thePortsAreThoseOfTheService() throws IOException {
    String source =
        Files.readString(
            Path.of(
                "../hadoop-shuffle-plugin/src/main/java/io/sluice/hadoop/conf/NodeSettings.java"));
    assertContains("GROUPS = %s;".formatted(HadoopPorts.GROUPS), source);
    assertContains("STEP = 1_000;", source);
    assertEquals(1_000, HadoopPorts.STEP);
    assertContains("PORTS_BEHIND = %s;".formatted(HadoopPorts.PORTS - 1), source);
  }

  @Test
  void tezsPortIsNotTaken() throws IOException {
    conf.yarn(HadoopPorts.OFFSET, "1");
    assertContains("tez.shuffle.port is 13563", ofPorts("32768 60999"));
  }

  @Test
  void anotherProgramsPortInTheseFilesIsSeen() throws IOException {
    conf.yarn("yarn.nodemanager.address", "0.0.0.0:18565");
    assertContains("yarn.nodemanager.address is 18565", ofPorts("32768 60999"));
  }

  @Test
  void portsOfOutgoingConnectionsMayBeTaken() throws IOException {
    assertContains("ports from 15000 to 60999 for outgoing", ofPorts("15000 60999"));
  }

  @Test
  void portZeroAndPortsBeyondTheLastAreRefused() throws IOException {
    conf.mapred(HadoopPorts.SHUFFLE_PORT, "0");
    assertContains("is 0", ofPorts("32768 60999"));
    conf.mapred(HadoopPorts.SHUFFLE_PORT, "65000");
    assertContains("lower sluice.service.port-offset", ofPorts("32768 60999"));
    conf.mapred(HadoopPorts.SHUFFLE_PORT, "many");
    assertContains("no whole number", ofPorts("32768 60999"));
  }

  private String ofMemory(long machineBytes) {
    return Conf.complaints(
        new NodeMemoryCheck(conf.read(), machineBytes, machineBytes, root).look());
  }

  @Test
  void containersAndTheServiceMustFitTheMachine() throws IOException {
    conf.yarn("sluice.node.memory-mb", "1");
    assertEquals("", ofMemory(16L << 30));
    assertContains("yarn.nodemanager.resource.memory-mb, by default", ofMemory(8L << 30));
    assertContains("is 8 GiB, and sluice.node.memory-mb takes 1 MiB more", ofMemory(8L << 30));
  }

  private String inPlace(String type, int placeMb) {
    NodeMemoryCheck memory = new NodeMemoryCheck(conf.read(), 16L << 30, 16L << 30, root);
    PoolFileSystem place = new PoolFileSystem(root, type, (long) placeMb << 20);
    return Conf.complaints(memory.total("it", 1L << 30, place).stream().toList());
  }

  @Test
  void theCommandThatMountsItLargerTakesAnyPath() {
    NodeMemoryCheck memory = new NodeMemoryCheck(conf.read(), 16L << 30, 16L << 30, root);
    PoolFileSystem place = new PoolFileSystem(Path.of("/mnt/my pool"), "tmpfs", 800L << 20);
    assertContains(
        "mount -o remount,size=1025m '/mnt/my pool' (a container",
        Conf.complaints(memory.total("it", 1L << 30, place).stream().toList()));
  }

  /** Of 1 GiB, buffers of one disk take less than a segment; those of a NIC's transport 16 MiB. */
  @Test
  void theServiceDoesNotStartIfItsTierCannotFit() {
    assertContains("BROKEN   it: is 1 GiB, more than %s of".formatted(root), inPlace("tmpfs", 800));
    assertContains("the service does not start", inPlace("tmpfs", 800));
    assertEquals("", inPlace("tmpfs", 1024));
  }

  @Test
  void buffersAreNoPartOfTheTier() {
    assertEquals("", inPlace("tmpfs", 960)); // 15 segments
  }

  @Test
  void whatDependsOnTheTransportsMayNotFit() {
    conf.yarn("sluice.pool.overflow-dirs", "none").yarn("sluice.pool.segment-mb", "16");
    assertContains("PROBLEM  it: is 1 GiB, which may not fit", inPlace("tmpfs", 1008));
    assertContains("BROKEN   it: is 1 GiB, more than", inPlace("tmpfs", 1007));
  }

  @Test
  void aDiskIsNotComparedWithTheMemory() {
    assertEquals("", inPlace("ext4", 800));
  }

  @Test
  void aTierThatIsSetIsFilledAsFarAsItGoes() throws IOException {
    long tooLargeMb = (Files.getFileStore(root).getTotalSpace() >> 20) + 1;
    conf.yarn("sluice.pool.capacity-mb", Long.toString(tooLargeMb))
        .yarn("sluice.pool.dir", "file://" + root.resolve("later/pool"));
    String said = ofMemory(1L << 20);
    assertContains("PROBLEM  " + root.resolve("conf/yarn-site.xml"), said);
    assertContains("more than %s of this host holds".formatted(root), said);
    assertContains("map outputs fill it, and the rest goes to disk", said);
    assertEquals(1, said.lines().filter(line -> line.contains("capacity-mb: ")).count(), said);
  }

  @Test
  void moreThanTheMachineHasDoesNotStart() throws IOException {
    conf.yarn("sluice.node.memory-mb", "128").yarn("yarn.nodemanager.resource.memory-mb", "1");
    assertContains("this host has 64 MiB; the service does not start", ofMemory(64L << 20));
    String said = ofMemory(100L << 20); // the tier is one segment
    assertContains("PROBLEM", said);
    assertFalse(said.contains("does not start"), said);
    assertContains("lower sluice.node.memory-mb, which leaves no memory for containers", said);
  }

  /** Which need not be the NodeManager's: it may start all the same. */
  @Test
  void moreThanTheContainerHasIsAProblem() {
    conf.yarn("sluice.node.memory-mb", "2048").yarn("yarn.nodemanager.resource.memory-mb", "1");
    String said =
        Conf.complaints(new NodeMemoryCheck(conf.read(), 16L << 30, 1L << 30, root).look());
    assertContains("PROBLEM", said);
    assertContains("the container of this process has 1 GiB", said);
    conf.yarn("sluice.node.memory-mb", "512").yarn("yarn.nodemanager.resource.memory-mb", "1024");
    assertContains(
        "the container of this process has 1 GiB",
        Conf.complaints(new NodeMemoryCheck(conf.read(), 16L << 30, 1L << 30, root).look()));
  }

  @Test
  void bothSizesTogetherAreRefused() throws IOException {
    conf.yarn("sluice.node.memory-mb", "2").yarn("sluice.pool.capacity-mb", "2");
    assertContains("the service does not start with both", ofMemory(16L << 30));
  }

  private String ofContainers() {
    return Conf.complaints(new Containers(conf.read()).look());
  }

  @Test
  void aContainerOfStocksSizeHasASmallerSortBuffer() {
    String said = ofContainers();
    assertContains("a map has 1024 MiB and a heap of 820 MiB; that leaves 76 MiB", said);
    assertContains(
        "mapreduce.map.memory.mb=1024 and -Xmx789m in mapreduce.map.java.opts,"
            + " or -Xmx820m in mapreduce.map.java.opts and mapreduce.map.memory.mb=1055",
        said);
    assertContains("its sort buffer gets 71 MiB beside mapped pages of the pool, and it", said);
    assertContains("its windows get 28 MiB for each of two transports beside mapped pages", said);
  }

  @Test
  void aCodecHasItsPartOfTheContainer() {
    conf.mapred("mapreduce.map.output.compress", "true")
        .mapred(
            "mapreduce.map.output.compress.codec", "org.apache.hadoop.io.compress.ZStandardCodec");
    String said = ofContainers();
    assertContains("its sort buffer gets 65 MiB beside mapped pages of the pool and the", said);
    assertContains("-Xmx782m in mapreduce.map.java.opts, or", said);
    assertContains("mapreduce.map.memory.mb=1062", said);
    conf.mapred("mapreduce.map.output.compress.codec", "com.example.Codec");
    assertContains("its sort buffer gets 70 MiB", ofContainers());
    assertContains("its windows get 23 MiB", ofContainers());
  }

  /** Whoever does as one of the two remedies says hears no more of it. */
  @ParameterizedTest
  @CsvSource({"0, 0", "1024, 0", "0, 900", "1024, 900", "0, 1", "150, 100"})
  void eachRemedyHelps(int containerMb, int heapMb) throws IOException {
    for (String task : List.of("map", "reduce")) {
      int index = task.equals("map") ? 0 : 1;
      Conf before = sized(task, containerMb, heapMb);
      for (String remedy :
          new Containers(before.read()).look().get(index).remedy().split(", or ")) {
        Matcher container = Pattern.compile("memory\\.mb=(\\d+)").matcher(remedy);
        Matcher heap = Pattern.compile("-Xmx(\\d+)m").matcher(remedy);
        Conf after =
            sized(
                task,
                container.find() ? Integer.parseInt(container.group(1)) : containerMb,
                heap.find() ? Integer.parseInt(heap.group(1)) : heapMb);
        Finding finding = new Containers(after.read()).look().get(index);
        assertEquals(Finding.Level.OK, finding.level(), remedy + ": " + finding.toText());
      }
    }
  }

  /** Without what is 0. */
  private Conf sized(String task, int containerMb, int heapMb) {
    Conf sized = new Conf(root.resolve("conf"));
    if (containerMb > 0) {
      sized.mapred("mapreduce.%s.memory.mb".formatted(task), "" + containerMb);
    }
    if (heapMb > 0) {
      sized.mapred("mapreduce.%s.java.opts".formatted(task), "-Xmx%sm".formatted(heapMb));
    }
    return sized;
  }

  @Test
  void roomForTheSortBufferIsEnough() {
    conf.mapred("mapreduce.map.java.opts", "-Xmx700m")
        .mapred("mapreduce.map.memory.mb", "1024")
        .mapred("mapreduce.reduce.memory.mb", "2048");
    assertEquals("", ofContainers());
  }

  @Test
  void aLimitOfDirectMemoryIsOneOfTheSortBuffer() {
    conf.mapred("mapreduce.map.java.opts", "-Xmx700m -XX:MaxDirectMemorySize=64m")
        .mapred("mapreduce.map.memory.mb", "2048")
        .mapred("mapreduce.reduce.memory.mb", "2048");
    assertContains("-XX:MaxDirectMemorySize=134m at least", ofContainers());
  }

  /** They are ContainerRoom's, whose module this one does not need, and those of the pages. */
  @Test
  void theNumbersAreThoseOfTheCodeAndThePages() throws IOException {
    String source =
        Files.readString(
            Path.of(
                "../hadoop-shuffle-plugin/src/main/java/io/sluice/hadoop/task/ContainerRoom.java"));
    assertContains("LEAST_BYTES = %sL << 20;".formatted(Containers.LEAST_MB), source);
    assertContains("JVM_BYTES = %sL << 20;".formatted(Containers.JVM_MB), source);
    assertContains("BUFFER_BYTES = %sL << 20;".formatted(Containers.LEAST_BUFFER_MB), source);
    assertContains("MAPPED_BYTES = %sL << 20;".formatted(Containers.MOST_MAPPED_MB), source);
    assertContains("MAPPED_SHARE = %s;".formatted(Containers.MAPPED_SHARE), source);
    assertContains("CODEC_BYTES = %sL << 20;".formatted(Containers.MOST_CODEC_MB), source);
    assertContains("CODEC_SHARE = %s;".formatted(Containers.CODEC_SHARE), source);
    assertContains("EXTENT_SHARE = %s;".formatted(Containers.EXTENT_SHARE), source);
    assertContains("TRANSPORTS = %s;".formatted(Containers.MOST_TRANSPORTS), source);
    String least =
        Files.readString(
            Path.of("../mapreduce/src/test/java/io/sluice/mapreduce/merge/MergeMemoryTest.java"));
    Containers.CODEC_MB.forEach(
        (codec, mb) -> {
          if (!codec.equals("DeflateCodec")) { // which is DefaultCodec
            assertContains("assertEquals(%s, leastCodecMb(new %s()".formatted(mb, codec), least);
            int writerMb = Containers.COMPRESSOR_MB.getOrDefault(codec, 1);
            assertContains(
                "assertEquals(%s, compressorMb(new %s()".formatted(writerMb, codec), least);
          }
        });
    assertContains(
        "assertEquals(%s, leastCodecMb(new Unpooled".formatted(Containers.UNKNOWN_CODEC_MB), least);
    String page = Files.readString(DOCS.resolve("settings.md"));
    assertContains(
        "| `sluice.node.memory-mb` | `%s` |".formatted(NodeMemoryCheck.DEFAULT_NODE_MEMORY_MB),
        page);
    assertContains(
        "| `sluice.service.port-offset` | `%s` |".formatted(HadoopPorts.DEFAULT_OFFSET), page);
    assertContains("| `sluice.reduce.buffer-mb` | `64` |", page);
    assertContains(
        "| `sluice.service.bounce-buffer-mb` | `%s` |".formatted(NodeMemoryCheck.DEFAULT_BOUNCE_MB),
        page);
    assertContains(
        "| `sluice.pool.segment-mb` | `%s` |".formatted(NodeMemoryCheck.DEFAULT_SEGMENT_MB), page);
  }
}
