/** The format of a run: how records lie in a segment, on the wire and in a merge. */
package io.sluice.spill.record;
