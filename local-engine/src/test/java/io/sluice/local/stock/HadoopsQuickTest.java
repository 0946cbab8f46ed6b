package io.sluice.local.stock;

/** Some of all kinds, which do not take long; all of them are in campaigns. */
class HadoopsQuickTest extends HadoopsOwnTest {
  HadoopsQuickTest() {
    super(
        "org[.]apache[.]hadoop[.]"
            + "(mapreduce[.]Test(MapReduce|MapperReducerCleanup|NewCombinerGrouping|ValueIterReset)"
            + "|mapred[.]Test(LocalJobSubmission|MapProgress|TaskCommit|UserDefinedCounters))");
  }
}
