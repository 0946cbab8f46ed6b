/** Programs over words and documents. */
package io.sluice.workloads.text;
