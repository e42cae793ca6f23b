//! docs/rewrites.md: each rewrite with its law, its class, what was counted, and the first gold that it changes.

use twinql::Schema;
use twinql::corpus::rewrites::{Claim, FAMILIES, all, shown};
use twinql_cli::registries::escaped;

use super::Page;
use super::tables::{table, written_from};

const HEAD: &str = "
Corpora are made of golds and of other ways to write them. These are the ways: each is one small unit, drawn alone or after
others ([training](training.md#what-each-part-does)). What a rewrite does to the answer is its class:

";

const COUNTED: &str = "
Classes are counted, and tests hold each to the counts: a rewrite is applied alone to the bundled golds and to every tenth of
Spider's and of BIRD's training golds; the suite judges each pair under `no-fk` on 40 databases, and pairs that it tells apart
are run on 16 [plausible databases](plausible.md). Below each rewrite stands how many pairs are told apart, and the mean share of
plausible databases on which they agree (pairs that the suite does not tell apart count as 1). What is plausible is so with answers
compared as BIRD's evaluator does, as sets of rows: a DISTINCT more or less hardly counts.

```sh
cargo measure rewrites 10 > crates/twinql-corpus/src/rewrites/counted.tsv    # some minutes; with TWINQL_DATA
```

In each example the first query is a gold, and the second what the rewrite makes of it.
";

/// The classes: what of the answer is kept, and where the label of a pair comes from.
const CLASSES: [(Claim, &str, &str); 3] = [
    (Claim::Sound, "on every database of the semantics `no-fk`", "1 where all rewrites of a pair are sound"),
    (Claim::Plausible, "on most databases as people have them, and not on every one", "counted"),
    (Claim::LookAlike, "on less than half of these, though it looks as if it did", "counted"),
];

/// The page.
pub(super) fn page() -> Result<Page, Box<dyn std::error::Error>> {
    let schema = Schema::from_ddl("shop", shown::SHOP)?;
    let mut text = format!("# Rewrites\n\n{}{HEAD}", written_from("the registry of rewrites"));
    let classes = CLASSES.map(|(claim, keeps, label)| {
        let number = all().filter(|rewrite| rewrite.kind == claim).count();
        [claim.name().to_owned(), number.to_string(), keeps.to_owned(), label.to_owned()]
    });
    text += &table(["class", "how many", "it keeps the answer", "the label of its pairs"], classes);
    text += COUNTED;
    for (family, rewrites) in FAMILIES {
        text += &format!("\n## {family}\n");
        for rewrite in rewrites {
            let missing = || format!("{} was not counted, or fits no gold", rewrite.name);
            let counted = shown::counted(rewrite.name).ok_or_else(missing)?;
            let (gold, sql) = shown::example(rewrite, &schema).ok_or_else(missing)?;
            let share = counted.share.filter(|_| counted.apart > 0);
            let share = share.map_or(String::new(), |share| format!(", share {share:.2}"));
            let (apart, pairs, law) = (counted.apart, counted.pairs, escaped(rewrite.law));
            text += &format!(
                "\n**`{}`**, {}: {apart} of {pairs} told apart{share}. {law}.\n",
                rewrite.name,
                rewrite.kind.name()
            );
            text += &format!("\n```sql\n{gold};\n{sql};\n```\n");
        }
    }
    Ok(Page { path: "docs/rewrites.md".into(), text })
}
