//! The JSON schema of a pack, for editors. The loader is stricter: it also knows names, places and patterns.

use serde_json::{Value, json};

use super::condition::{COMBINATORS, CONDITIONS};
use super::tag::TagLevel;
use crate::syntax::{FACTS, Language};
use crate::taxonomy::{CATEGORIES, IMPACTS, SEVERITIES, names};

/// JSON Schema, draft 2020-12.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:diffsieve:pack:v1",
        "title": "diffsieve rule pack",
        "type": "object",
        "additionalProperties": false,
        "required": ["pack"],
        "properties": {
            "pack": {"type": "string", "description": "the pack's name"},
            "version": {"type": ["string", "number"]},
            "about": {"type": "string"},
            "requires": {"type": "string", "pattern": "^>=\\s*\\d+(\\.\\d+){0,2}$"},
            "extends": {"type": "array", "items": {"type": "string"}},
            "defaults": {"$ref": "#/$defs/settings"},
            "classes": {"type": "object", "additionalProperties": edited(&json!({"$ref": "#/$defs/texts"}))},
            "tags": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tag"}},
        },
        "$defs": {
            "texts": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "language": {"enum": Language::all().map(Language::name).collect::<Vec<_>>()},
            "tag": tag(),
            "settings": {
                "$ref": "#/$defs/tag",
                "not": {"anyOf": [{"required": ["lang"]}, {"required": ["examples"]}]},
                "description": "a tag without languages and examples of its own",
            },
            "detector": detector(),
            "condition": condition(),
            "conditions": {"anyOf": [
                {"$ref": "#/$defs/condition"},
                {"type": "array", "items": {"$ref": "#/$defs/condition"}},
            ]},
            "example": example(),
        },
    })
}

/// A list as it may stand in a later layer: whole, or as an edit of what lies beneath.
fn edited(list: &Value) -> Value {
    json!({"anyOf": [list, {
        "type": "object",
        "additionalProperties": false,
        "properties": {"add": {"type": "array"}, "remove": {"type": "array"}},
    }]})
}

fn tag() -> Value {
    let score = json!({"type": "number", "minimum": 0, "maximum": 10});
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "title": {"type": "string"},
            "about": {"type": "string"},
            "ask": {"type": "string", "description": "the question put to a model; without one the tag is not offered to it"},
            "judge": {"type": "string", "description": "guidance for the validator"},
            "level": {"enum": TagLevel::NAMES},
            "anchor": {"enum": ["added", "deletion"]},
            "category": {"enum": names(&CATEGORIES), "description": "the root cause, after CR-Bench"},
            "impact": {"enum": names(&IMPACTS), "description": "what suffers, after ISO/IEC 25010; else what is usual for the category"},
            "severity": {"enum": names(&SEVERITIES), "description": "how bad it is, after CR-Bench; else by security-severity, else what is usual for the category"},
            "cwe": {"type": "array", "items": {"type": "string", "pattern": "^CWE-\\d+$"}},
            "security-severity": {"type": "number", "minimum": 0.1, "maximum": 10},
            "score": score,
            "block-score": score,
            "votes": {"type": "integer", "minimum": 1, "maximum": 99},
            "cap": {"type": "integer", "minimum": 0, "maximum": 10_000},
            "needs": edited(&json!({"$ref": "#/$defs/conditions"})),
            "drop": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["id"],
                "properties": {
                    "id": {"type": "string"},
                    "why": {"type": "string"},
                    "when": {"$ref": "#/$defs/conditions"},
                    "remove": {"const": true},
                },
            }},
            "detect": {"type": "array", "items": {"$ref": "#/$defs/detector"}},
            "lang": {
                "type": "object",
                "propertyNames": {"$ref": "#/$defs/language"},
                "additionalProperties": {"$ref": "#/$defs/settings"},
            },
            "examples": {"type": "array", "items": {"$ref": "#/$defs/example"}},
        },
    })
}

fn detector() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id"],
        "properties": {
            "id": {"type": "string"},
            "lang": {"anyOf": [
                {"$ref": "#/$defs/language"},
                {"type": "array", "items": {"$ref": "#/$defs/language"}},
            ]},
            "in": {"enum": ["code", "string", "comment", "any"]},
            "unless": {"$ref": "#/$defs/conditions"},
            "level": {"enum": ["error", "warning", "note"]},
            "message": {"type": "string"},
            "fix": {"type": "string"},
            "regex": {"type": "string", "maxLength": super::condition::MAX_REGEX},
            "words": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "one of them, in any case, must stand on the added lines of a file before `regex` is tried"},
            "rule": {"type": "object", "description": "an ast-grep rule object"},
            "builtin": {"type": "string"},
            "remove": {"const": true},
        },
    })
}

fn condition() -> Value {
    let mut properties = serde_json::Map::new();
    for condition in CONDITIONS {
        properties.insert(condition.key.to_owned(), json!({"description": condition.help}));
    }
    for (key, help) in COMBINATORS {
        properties.insert(key.to_owned(), json!({"$ref": "#/$defs/conditions", "description": help}));
    }
    let facts: serde_json::Map<String, Value> =
        FACTS.iter().map(|fact| (fact.name.to_owned(), json!({"description": fact.help}))).collect();
    properties.insert("fact".to_owned(), json!({"type": "object", "additionalProperties": false, "properties": facts}));
    json!({"type": "object", "additionalProperties": false, "minProperties": 1, "properties": properties})
}

fn example() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "lang": {"type": "string"},
            "path": {"type": "string"},
            "bad": {"type": "string", "description": "lines with a finding end in #! or //!"},
            "good": {"type": "string"},
            "fixed": {"type": "string"},
            "code": {"type": "string"},
            "claim": {
                "type": "object",
                "additionalProperties": false,
                "required": ["line", "quote"],
                "properties": {
                    "line": {"type": "integer", "minimum": 1},
                    "quote": {"type": "string"},
                    "rationale": {"type": "string"},
                },
            },
            "expect": {"type": "string", "pattern": "^(keep|drop:.+|refuted:.+)$"},
        },
    })
}
