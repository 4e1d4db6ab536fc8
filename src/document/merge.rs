//! Layering of documents: later wins.

use super::{Entry, Node, Problem, Value};

/// Lays `over` on `under`. Maps merge deeply, scalars replace, lists of things with an `id` merge by id
/// (`{id: x, remove: true}` deletes), plain lists replace unless written `{add: […], remove: […]}`.
pub fn merge(under: Node, over: Node, problems: &mut Vec<Problem>) -> Node {
    match (under.value, over.value) {
        (Value::Map(mut entries), Value::Map(changes)) => {
            for change in changes {
                match entries.iter().position(|entry| entry.key == change.key) {
                    Some(index) => {
                        let old = std::mem::replace(&mut entries[index].node, placeholder(&change));
                        entries[index].node = merge(old, change.node, problems);
                        entries[index].at = change.at;
                    }
                    None => entries.push(change),
                }
            }
            Node { at: under.at, value: Value::Map(entries) }
        }
        (Value::List(items), Value::List(changes)) if is_by_id(&changes) && (items.is_empty() || is_by_id(&items)) => {
            let value = Value::List(merge_by_id(items, changes, problems));
            Node { at: over.at, value }
        }
        (Value::List(items), Value::Map(changes)) if is_edit(&changes) => {
            let value = Value::List(edit_list(items, &changes, problems));
            Node { at: over.at, value }
        }
        (_, value) => Node { at: over.at, value },
    }
}

fn placeholder(entry: &Entry) -> Node {
    Node { at: entry.at.clone(), value: Value::Null }
}

fn id(node: &Node) -> Option<&str> {
    node.get("id").and_then(Node::text)
}

fn is_by_id(items: &[Node]) -> bool {
    !items.is_empty() && items.iter().all(|item| id(item).is_some())
}

fn is_edit(entries: &[Entry]) -> bool {
    !entries.is_empty() && entries.iter().all(|entry| entry.key == "add" || entry.key == "remove")
}

fn merge_by_id(mut items: Vec<Node>, changes: Vec<Node>, problems: &mut Vec<Problem>) -> Vec<Node> {
    for change in changes {
        let index = items.iter().position(|item| id(item) == id(&change));
        let removes = matches!(change.get("remove"), Some(Node { value: Value::Bool(true), .. }));
        match (index, removes) {
            (Some(index), true) => {
                items.remove(index);
            }
            (None, true) => {
                let name = id(&change).unwrap_or_default().to_owned();
                problems.push(Problem::at(&change.at, format!("`{name}` is removed, but no earlier layer has it")));
            }
            (Some(index), false) => {
                let old = std::mem::replace(&mut items[index], Node { at: change.at.clone(), value: Value::Null });
                items[index] = merge(old, change, problems);
            }
            (None, false) => items.push(change),
        }
    }
    items
}

fn edit_list(mut items: Vec<Node>, changes: &[Entry], problems: &mut Vec<Problem>) -> Vec<Node> {
    for change in changes {
        for item in change.node.items() {
            let index = items.iter().position(|old| old.value == item.value);
            match (change.key.as_str(), index) {
                ("remove", Some(index)) => {
                    items.remove(index);
                }
                ("remove", None) => {
                    problems.push(Problem::at(&item.at, "this is removed, but no earlier layer has it"));
                }
                (_, None) => items.push(item.clone()),
                (_, Some(_)) => {}
            }
        }
    }
    items
}
