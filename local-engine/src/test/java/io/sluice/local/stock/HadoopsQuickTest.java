package io.sluice.local.stock;

import org.junit.jupiter.api.Tag;

/** Some of all kinds, which do not take long; all of them are in campaigns. */
@Tag("slow")
class HadoopsQuickTest extends HadoopsOwnTest {
  HadoopsQuickTest() {
    super(
        "org[.]apache[.]hadoop[.]"
            + "(mapreduce[.]Test(MapReduce|MapperReducerCleanup|NewCombinerGrouping|ValueIterReset)"
            + "|mapred[.]Test(LocalJobSubmission|MapProgress|TaskCommit|UserDefinedCounters))");
  }
}
